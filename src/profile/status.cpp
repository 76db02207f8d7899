#include "kareus/profile.hpp"

namespace kareus::profile {

std::string to_string(Status status) {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::throttled:
      return "throttled";
    case Status::failed:
      return "failed";
  }
  KAREUS_CHECK(false);
}

}  // namespace kareus::profile
