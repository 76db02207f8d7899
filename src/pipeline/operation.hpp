#pragma once

#include <string>

#include "kareus/pipeline.hpp"

namespace kareus::pipeline {

/// For people: `forward of microbatch 3`, with the chunk when it is not the first.
std::string describe(const Operation& operation);
/// For people: `forward`, `input gradient`.
std::string spoken(OperationKind kind);

}  // namespace kareus::pipeline
