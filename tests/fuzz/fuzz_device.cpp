// Device descriptions, replay tables and checkpoints: whatever the bytes, an answer or a list of problems.
#include <cstdint>
#include <string_view>

#include "device/replay/replay_table.hpp"
#include "device/sim/checkpoint.hpp"
#include "device/sim/sim_device.hpp"
#include "kareus/device_description.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kareus;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto description = device::parse_description(text, "fuzz.toml")) {
    const auto device = device::make_sim_device(*description, 1);
    if (!device->block(Seconds(1.0)) || !(device->energy_counter()->si() >= 0.0)) __builtin_trap();
  }
  if (const auto table = device::parse_replay_table(text, "fuzz.csv")) {
    for (const device::ReplayRow& row : table->rows) {
      if (!(row.time.si() > 0.0) || !(row.energy.si() > 0.0)) __builtin_trap();
    }
  }
  if (const auto checkpoint = device::sim::parse_checkpoint(std::string(text))) {
    // What was read is written back to a text with the same meaning.
    const auto again = device::sim::parse_checkpoint(device::sim::write_checkpoint(*checkpoint));
    if (!again || again->meter.seconds != checkpoint->meter.seconds) __builtin_trap();
  }
  return 0;
}
