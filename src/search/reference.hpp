#pragma once

#include <span>

#include "kareus/search.hpp"

namespace kareus::search {

/// Reference point of the acquisition: 1.1 times the worst observed value of each objective (Kareus, section 4.3). The
/// tenth is taken of the magnitude, or of the observed range where that is larger, so that the point also lies beyond
/// the worst of energies that are negative or close to zero. Pre: points are not empty.
Objectives acquisition_reference(std::span<const Objectives> points);

/// Reference point of reports: the nadir of the front of `points` plus a tenth of the front's range (a tenth of the
/// value where the range is zero). It depends on the true front only, so that volumes of different searches of the
/// same space compare. Pre: points are not empty.
Objectives reporting_reference(std::span<const Objectives> points);

}  // namespace kareus::search
