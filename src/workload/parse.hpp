#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "kareus/workload.hpp"

namespace kareus::workload {

/// Parses the text of a Hugging Face `config.json`; `name` is what problems are reported against.
/// Errors: as read_model.
Result<ModelShape> parse_model(std::string_view text, std::string name);

/// Gets the model that a workload names, by the path written in it.
using LoadModel = std::function<Result<ModelShape>(const std::filesystem::path& written)>;

/// Parses the text of a workload file; `file` gives its name and is what problems are reported against. Asks for the
/// model at most once. Errors: as read_workload.
Result<Workload> parse_workload(std::string_view text, const std::filesystem::path& file, const LoadModel& load_model);

}  // namespace kareus::workload
