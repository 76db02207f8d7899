#pragma once

namespace kareus::cli {

/// From now on the first SIGINT or SIGTERM only sets a flag, so that the run can stop between measurements; the second
/// one ends the process at once.
void catch_interrupts();
bool interrupted();

}  // namespace kareus::cli
