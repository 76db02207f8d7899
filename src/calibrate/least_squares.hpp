#pragma once

#include <functional>
#include <vector>

namespace kareus::calibrate {

/// One number that a fit may change. Positive numbers, fitted by their logarithm: steps are relative.
struct Unknown {
  double start = 0.0;
  double low = 0.0;  ///< bounds, kept by clamping
  double high = 0.0;
  double trust = 0.0;  ///< relative standard deviation of `start`; 0: none
};

struct Fit {
  std::vector<double> values;
  std::vector<double> deviations;  ///< relative standard deviations, from the curvature at the optimum
  double residual = 0.0;           ///< root mean square, without the trust terms
};

/// Residuals of a guess, always of one length; an empty result stops the fit.
using Residuals = std::function<std::vector<double>(const std::vector<double>&)>;

/// Levenberg-Marquardt (MINPACK as in Eigen) on the residuals and on the distance from `start` in units of `trust`.
/// Residuals are taken to be relative errors of standard deviation `noise`.
Fit least_squares(const std::vector<Unknown>& unknowns, const Residuals& residuals, double noise);

}  // namespace kareus::calibrate
