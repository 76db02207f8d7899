#pragma once

namespace kareus::pipeline {

/// Holds every sum of slope times duration without rounding.
__extension__ typedef __int128 Wide;

}  // namespace kareus::pipeline
