#include "kareus/profile.hpp"

namespace kareus::profile {

std::string to_string(Status status) {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::throttled:
      return "throttled";
    case Status::censored:
      return "censored";
    case Status::failed:
      return "failed";
  }
  KAREUS_CHECK(false);
}

Seconds Protocol::expected_time() const {
  if (!adaptive) return settle + cooldown + window;
  // A window ends after 1 to 2 s, and what comes before takes about as long (docs/method.md).
  return Seconds(3.0);
}

std::vector<std::string> protocol_names() {
  return {"adaptive", "published"};
}

std::optional<Protocol> parse_protocol(std::string_view name) {
  Protocol protocol;
  if (name == "published") return protocol;
  protocol.adaptive.emplace();
  return name == "adaptive" ? std::optional(protocol) : std::nullopt;
}

}  // namespace kareus::profile
