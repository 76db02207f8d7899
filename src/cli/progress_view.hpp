#pragma once

#include <chrono>
#include <string>

#include "kareus/planner.hpp"

namespace kareus::cli {

enum class ProgressMode { bar, lines, none };

/// A bar when stderr is a terminal, lines otherwise; `text` is `auto`, `bar`, `lines` or `none`.
ProgressMode progress_mode(const std::string& text);

/// Shows the progress of a run on stderr: a bar that redraws itself, or a line at every twentieth of the work.
class ProgressView {
 public:
  explicit ProgressView(ProgressMode mode);
  ~ProgressView();
  ProgressView(const ProgressView&) = delete;
  ProgressView& operator=(const ProgressView&) = delete;

  void show(const planner::Progress& progress);

 private:
  void draw_bar(const planner::Progress& progress);
  void print_line(const planner::Progress& progress);
  std::string time_left(const planner::Progress& progress) const;

  ProgressMode mode_;
  std::chrono::steady_clock::time_point started_;
  std::chrono::steady_clock::time_point drawn_;
  std::size_t line_shown_ = 0;
  bool bar_open_ = false;
};

}  // namespace kareus::cli
