#include "cli/interrupt.hpp"

#include <atomic>
#include <csignal>

namespace kareus::cli {
namespace {

std::atomic<bool> flag = false;
static_assert(std::atomic<bool>::is_always_lock_free, "written in a signal handler");

extern "C" void on_signal(int signal) {
  flag = true;
  std::signal(signal, SIG_DFL);
}

}  // namespace

void catch_interrupts() {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
}

bool interrupted() {
  return flag;
}

}  // namespace kareus::cli
