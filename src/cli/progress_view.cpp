#include "cli/progress_view.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "base/text.hpp"

namespace kareus::cli {
namespace {

constexpr std::size_t kLines = 20;
constexpr auto kRedraw = std::chrono::milliseconds(100);

std::size_t terminal_width() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

}  // namespace

ProgressMode progress_mode(const std::string& text) {
  if (text == "bar") return ProgressMode::bar;
  if (text == "lines") return ProgressMode::lines;
  if (text == "none") return ProgressMode::none;
  return ::isatty(STDERR_FILENO) != 0 ? ProgressMode::bar : ProgressMode::lines;
}

ProgressView::ProgressView(ProgressMode mode) : mode_(mode), started_(std::chrono::steady_clock::now()) {}

ProgressView::~ProgressView() {
  if (bar_open_) std::fputc('\n', stderr);
}

void ProgressView::show(const planner::Progress& progress) {
  switch (mode_) {
    case ProgressMode::none:
      return;
    case ProgressMode::bar:
      return draw_bar(progress);
    case ProgressMode::lines:
      return print_line(progress);
  }
}

std::string ProgressView::time_left(const planner::Progress& progress) const {
  const std::size_t fresh = progress.done - progress.reused;
  if (fresh == 0) return "?";
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - started_;
  const double left =
      elapsed.count() / static_cast<double>(fresh) * static_cast<double>(progress.total - progress.done);
  const auto seconds = static_cast<long>(left + 0.5);
  if (seconds < 60) return fmt::format("{} s", seconds);
  if (seconds < 3600) return fmt::format("{} min {:02} s", seconds / 60, seconds % 60);
  return fmt::format("{} h {:02} min", seconds / 3600, seconds / 60 % 60);
}

void ProgressView::draw_bar(const planner::Progress& progress) {
  const auto now = std::chrono::steady_clock::now();
  if (progress.done < progress.total && now - drawn_ < kRedraw) return;
  drawn_ = now;
  bar_open_ = true;
  const std::string text = fmt::format(" {}/{}  hypervolume {:.4f}  {} left  {}", progress.done, progress.total,
                                       progress.hypervolume, time_left(progress), progress.work);
  const std::size_t width = terminal_width();
  const std::size_t room = std::clamp<std::size_t>(width > text.size() + 4 ? width - text.size() - 4 : 0, 0, 40);
  const std::size_t filled = progress.total == 0 ? room : room * progress.done / progress.total;
  const std::string bar = room == 0 ? "" : "[" + std::string(filled, '#') + std::string(room - filled, ' ') + "]";
  fmt::print(stderr, "\r{}\x1b[K", (bar + text).substr(0, width - 1));
  std::fflush(stderr);
}

void ProgressView::print_line(const planner::Progress& progress) {
  const std::size_t step = progress.total == 0 ? kLines : progress.done * kLines / progress.total;
  if (step <= line_shown_) return;
  line_shown_ = step;
  fmt::print(stderr, "{}/{} measured ({} reused), hypervolume {:.4f}, {} of device time, {} left\n", progress.done,
             progress.total, progress.reused, progress.hypervolume, human(progress.device_time), time_left(progress));
}

}  // namespace kareus::cli
