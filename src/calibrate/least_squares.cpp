#include "calibrate/least_squares.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <unsupported/Eigen/NonLinearOptimization>

namespace kareus::calibrate {
namespace {

constexpr double kStep = 1e-4;  // of a logarithm: far above the rounding of a simulation, far below its features

/// The problem in the form that Eigen's solver takes.
class Problem {
 public:
  using Scalar = double;
  using InputType = Eigen::VectorXd;
  using ValueType = Eigen::VectorXd;
  using JacobianType = Eigen::MatrixXd;
  enum { InputsAtCompileTime = Eigen::Dynamic, ValuesAtCompileTime = Eigen::Dynamic };

  Problem(const std::vector<Unknown>& unknowns, const Residuals& residuals, double noise)
      : unknowns_(unknowns), residuals_(residuals), noise_(noise) {
    for (const Unknown& unknown : unknowns_) trusted_ += unknown.trust > 0.0 ? 1 : 0;
    measured_ = static_cast<Eigen::Index>(residuals_(values_of(start())).size());
  }

  Eigen::Index inputs() const { return static_cast<Eigen::Index>(unknowns_.size()); }
  Eigen::Index values() const { return measured_ + trusted_; }
  Eigen::Index measured() const { return measured_; }

  Eigen::VectorXd start() const {
    Eigen::VectorXd x(inputs());
    for (Eigen::Index i = 0; i < inputs(); ++i) x[i] = std::log(unknowns_[static_cast<std::size_t>(i)].start);
    return x;
  }

  std::vector<double> values_of(const Eigen::VectorXd& x) const {
    std::vector<double> result;
    for (std::size_t i = 0; i < unknowns_.size(); ++i) {
      const double free = std::exp(x[static_cast<Eigen::Index>(i)]);
      result.push_back(std::clamp(free, unknowns_[i].low, unknowns_[i].high));
    }
    return result;
  }

  int operator()(const Eigen::VectorXd& x, Eigen::VectorXd& out) const {
    const std::vector<double> measured = residuals_(values_of(x));
    if (static_cast<Eigen::Index>(measured.size()) != measured_) return -1;
    Eigen::Index row = 0;
    for (const double value : measured) out[row++] = value / noise_;
    const Eigen::VectorXd from = start();
    for (std::size_t i = 0; i < unknowns_.size(); ++i) {
      const auto index = static_cast<Eigen::Index>(i);
      if (unknowns_[i].trust > 0.0) out[row++] = (x[index] - from[index]) / unknowns_[i].trust;
    }
    return 0;
  }

  int df(const Eigen::VectorXd& x, Eigen::MatrixXd& jacobian) const {
    Eigen::VectorXd up(values());
    Eigen::VectorXd down(values());
    for (Eigen::Index i = 0; i < inputs(); ++i) {
      Eigen::VectorXd moved = x;
      moved[i] = x[i] + kStep;
      if ((*this)(moved, up) < 0) return -1;
      moved[i] = x[i] - kStep;
      if ((*this)(moved, down) < 0) return -1;
      jacobian.col(i) = (up - down) / (2.0 * kStep);
    }
    return 0;
  }

 private:
  const std::vector<Unknown>& unknowns_;
  const Residuals& residuals_;
  double noise_;
  Eigen::Index measured_ = 0;
  Eigen::Index trusted_ = 0;
};

}  // namespace

Fit least_squares(const std::vector<Unknown>& unknowns, const Residuals& residuals, double noise) {
  Problem problem(unknowns, residuals, noise);
  Eigen::VectorXd x = problem.start();
  Eigen::LevenbergMarquardt<Problem> solver(problem);
  solver.parameters.maxfev = 60;
  solver.parameters.ftol = 1e-8;
  solver.parameters.xtol = 1e-8;
  solver.minimize(x);
  Fit fit{.values = problem.values_of(x), .deviations = {}, .residual = 0.0};
  Eigen::MatrixXd jacobian(problem.values(), problem.inputs());
  Eigen::VectorXd at(problem.values());
  problem.df(x, jacobian);
  problem(x, at);
  const Eigen::VectorXd measured = at.head(problem.measured());
  fit.residual =
      noise * std::sqrt(measured.squaredNorm() / static_cast<double>(std::max<Eigen::Index>(1, measured.size())));
  // Residuals larger than the noise mean that the model is wrong by as much, which widens what it says of its values.
  const double inflation = std::max(1.0, fit.residual / noise);
  const Eigen::MatrixXd information =
      jacobian.transpose() * jacobian + 1e-9 * Eigen::MatrixXd::Identity(problem.inputs(), problem.inputs());
  const Eigen::MatrixXd covariance = information.inverse();
  for (Eigen::Index i = 0; i < problem.inputs(); ++i) {
    fit.deviations.push_back(std::sqrt(std::max(0.0, covariance(i, i))) * inflation);
  }
  return fit;
}

}  // namespace kareus::calibrate
