#include "cli/root_folder.hpp"

#include <system_error>

namespace kareus::cli {

Result<std::filesystem::path> root_folder(const std::filesystem::path& given) {
  if (!given.empty()) return given;
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  for (const char* candidate : {"../../..", "../share/kareus"}) {
    if (std::filesystem::exists(program / candidate / "data", error)) return program / candidate;
  }
  return fail(ErrorCode::bad_input, "no folder with the data of the checks beside the program", {}, "give --data DIR");
}

}  // namespace kareus::cli
