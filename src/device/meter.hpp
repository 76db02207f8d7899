#pragma once

namespace kareus::device {

/// Virtual time and the energy counter of a device that lives in this process: power is integrated over every stretch
/// of time, while the counter shows the energy at the last multiple of its period.
class Meter {
 public:
  struct State {
    double seconds = 0.0;
    double joules = 0.0;   ///< integral of power up to `seconds`
    double counter = 0.0;  ///< what the counter shows
  };

  explicit Meter(double period_seconds) : period_(period_seconds) {}

  /// Lets time pass at constant power.
  void advance(double seconds, double watts);

  double now() const { return state_.seconds; }
  double counter() const { return state_.counter; }
  const State& state() const { return state_; }
  void set_state(const State& state) { state_ = state; }

 private:
  double period_;
  State state_;
};

}  // namespace kareus::device
