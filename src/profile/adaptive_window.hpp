#pragma once

#include <optional>

#include "profile/window.hpp"

namespace kareus::profile {

/// What an adaptive measurement has to know of the ones before it on the same device.
struct Before {
  bool clock_changed = true;
  std::optional<Celsius> reference;  ///< temperature before the first window; nothing: this is the first
};

/// One pass of the adaptive protocol over `work`, on a locked clock: settle if the clock changed, time a repetition,
/// come to the reference temperature, then repeat until the energy is known well enough, or `hopeless`. Errors: what
/// any configuration would meet.
Result<Attempt> measure_adaptively(device::Device& device, const AdaptiveProtocol& protocol, const device::Work& work,
                                   const device::Execution& execution, const Before& before, const Hopeless& hopeless);

}  // namespace kareus::profile
