#include "device/sim/checkpoint.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

namespace kareus::device::sim {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "kareus-sim-device";
constexpr int kVersion = 1;

tl::unexpected<Error> reject(std::string what) {
  return fail(ErrorCode::bad_input, "is no checkpoint of a simulated device: " + std::move(what), "device checkpoint");
}

/// Reads the members of the checkpoint; after the first fault the rest is skipped.
class Members {
 public:
  explicit Members(const Json& object) : object_(object) {}

  const std::string& fault() const { return fault_; }

  /// Zero when there is a fault.
  double number(const char* key, double low, double high = 1e15) {
    const Json* value = find(key);
    if (value == nullptr) return 0.0;
    const double number = value->is_number() ? value->get<double>() : std::nan("");
    if (std::isfinite(number) && number >= low && number <= high) return number;
    fault_ = std::string(key) + " is out of range";
    return 0.0;
  }

  std::uint64_t count(const char* key) {
    const Json* value = find(key);
    if (value == nullptr) return 0;
    if (!value->is_number_unsigned()) {
      fault_ = std::string(key) + " is not a whole number";
      return 0;
    }
    return value->get<std::uint64_t>();
  }

  std::string text(const char* key) {
    const Json* value = find(key);
    if (value == nullptr) return {};
    if (!value->is_string()) fault_ = std::string(key) + " is not a text";
    return value->is_string() ? value->get<std::string>() : std::string();
  }

 private:
  const Json* find(const char* key) {
    if (!fault_.empty()) return nullptr;
    const auto found = object_.find(key);
    if (found != object_.end()) return &*found;
    fault_ = std::string(key) + " is missing";
    return nullptr;
  }

  const Json& object_;
  std::string fault_;
};

}  // namespace

std::string write_checkpoint(const Checkpoint& checkpoint) {
  const Json json{{"format", kFormat},
                  {"version", kVersion},
                  {"device", checkpoint.device},
                  {"seed", checkpoint.seed},
                  {"clock_mhz", checkpoint.clock.mhz},
                  {"draws", checkpoint.draws},
                  {"time_s", checkpoint.meter.seconds},
                  {"energy_j", checkpoint.meter.joules},
                  {"counter_j", checkpoint.meter.counter},
                  {"fast_w", checkpoint.thermal.fast_watts},
                  {"slow_w", checkpoint.thermal.slow_watts}};
  return json.dump();
}

Result<Checkpoint> parse_checkpoint(const std::string& text) {
  if (text.size() > 4096) return reject("too long");
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return reject("not a JSON object");
  Members members(json);
  if (members.text("format") != kFormat) return reject("another format");
  if (members.count("version") != static_cast<std::uint64_t>(kVersion)) return reject("another version");
  Checkpoint checkpoint;
  checkpoint.device = members.text("device");
  checkpoint.seed = members.count("seed");
  checkpoint.clock = Clock{static_cast<int>(members.number("clock_mhz", 1.0, 1e6))};
  checkpoint.draws = members.count("draws");
  checkpoint.meter.seconds = members.number("time_s", 0.0);
  checkpoint.meter.joules = members.number("energy_j", 0.0);
  checkpoint.meter.counter = members.number("counter_j", 0.0);
  checkpoint.thermal.fast_watts = members.number("fast_w", 0.0);
  checkpoint.thermal.slow_watts = members.number("slow_w", 0.0);
  if (!members.fault().empty()) return reject(members.fault());
  return checkpoint;
}

}  // namespace kareus::device::sim
