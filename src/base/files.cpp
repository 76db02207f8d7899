#include "base/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <system_error>

namespace kareus {
namespace {

tl::unexpected<Error> system_failure(const std::filesystem::path& path, std::string_view action, int error) {
  std::string hint;
  if (error == EACCES || error == EPERM || error == EROFS) hint = "choose a folder that you may write to";
  if (error == ENOSPC || error == EDQUOT) hint = "free some disk space and run the same command again";
  return fail(ErrorCode::device, fmt::format("cannot {}: {}", action, std::strerror(error)), path.string(), hint);
}

}  // namespace

Result<std::string> read_file(const std::filesystem::path& path, std::size_t limit) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    return fail(ErrorCode::bad_input, "no such file", path.string());
  }
  if (std::filesystem::is_directory(status)) {
    return fail(ErrorCode::bad_input, "is a folder, not a file", path.string());
  }
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return system_failure(path, "open", errno);
  std::string text;
  char buffer[1 << 16];
  while (stream.read(buffer, sizeof buffer) || stream.gcount() > 0) {
    text.append(buffer, static_cast<std::size_t>(stream.gcount()));
    if (text.size() > limit) {
      return fail(ErrorCode::bad_input, fmt::format("is larger than {} bytes", limit), path.string());
    }
  }
  if (stream.bad()) return system_failure(path, "read", errno);
  return text;
}

Result<void> write_file_atomically(const std::filesystem::path& path, std::string_view text) {
  const std::filesystem::path temporary = path.string() + fmt::format(".{}.tmp", ::getpid());
  const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) return system_failure(path, "write", errno);
  const auto give_up = [&](std::string_view action) {
    const int error = errno;
    ::close(file);
    ::unlink(temporary.c_str());
    return system_failure(path, action, error);
  };
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t written = ::write(file, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return give_up("write");
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::fsync(file) != 0) return give_up("flush");
  if (::close(file) != 0) {
    const int error = errno;
    ::unlink(temporary.c_str());
    return system_failure(path, "write", error);
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) {
    const int error = errno;
    ::unlink(temporary.c_str());
    return system_failure(path, "replace", error);
  }
  return {};
}

Result<void> create_folder(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return system_failure(path, "create the folder", error.value());
  if (!std::filesystem::is_directory(path)) {
    return fail(ErrorCode::device, "is a file, not a folder", path.string());
  }
  return {};
}

}  // namespace kareus
