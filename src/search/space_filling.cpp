#include "search/space_filling.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "search/random.hpp"

namespace kareus::search {
namespace {

constexpr double kLength = 0.2;
constexpr double kAdditive = 0.8;
constexpr double kNoise = 1e-3;
constexpr std::size_t kMostChoices = 2000;
constexpr std::size_t kMostReferences = 500;

/// Covariances of the candidates that can be chosen, given the ones chosen.
class Design {
 public:
  Design(const Coordinates& coordinates, std::vector<std::size_t> choices)
      : coordinates_(coordinates), choices_(std::move(choices)) {
    const std::size_t references = std::min(choices_.size(), kMostReferences);
    covariance_.resize(rows(), static_cast<Eigen::Index>(references));
    for (Eigen::Index j = 0; j < covariance_.cols(); ++j) covariance_.col(j) = with(choices_[at(j)]);
    variance_ = Eigen::VectorXd::Ones(rows());
  }

  /// The choice, by its place, that lowers the mean variance most; `closed` ones are left out.
  std::size_t best(const std::vector<bool>& closed) const {
    const Eigen::VectorXd gains = covariance_.rowwise().squaredNorm().array() / (variance_.array() + kNoise);
    std::size_t best = choices_.size();
    for (std::size_t i = 0; i < choices_.size(); ++i) {
      if (closed[choices_[i]]) continue;
      if (best == choices_.size() || gains[row(i)] > gains[row(best)] * (1.0 + 1e-9)) best = i;
    }
    return best;
  }

  /// Takes a candidate of the space for known.
  void know(std::size_t candidate) {
    Eigen::VectorXd shared = with(candidate);
    double own = 1.0;
    for (const Known& known : known_) {
      double projection = correlation(candidate, known.candidate);
      for (std::size_t k = 0; k < known.earlier.size(); ++k) projection -= known.earlier[k] * earlier_[k];
      projection /= known.root;
      earlier_.push_back(projection);
      shared -= projection * known.shared;
      own -= projection * projection;
    }
    Known now{.candidate = candidate,
              .root = std::sqrt(std::max(0.0, own) + kNoise),
              .earlier = std::move(earlier_),
              .shared = shared};
    earlier_.clear();
    now.shared /= now.root;
    covariance_.noalias() -= now.shared * now.shared.head(covariance_.cols()).transpose();
    variance_ -= now.shared.cwiseAbs2();
    known_.push_back(std::move(now));
  }

  std::size_t candidate(std::size_t place) const { return choices_[place]; }

 private:
  struct Known {
    std::size_t candidate;
    double root;                  ///< diagonal of the Cholesky factor
    std::vector<double> earlier;  ///< rest of its row
    Eigen::VectorXd shared;       ///< its column, for the choices
  };

  static std::size_t at(Eigen::Index i) { return static_cast<std::size_t>(i); }
  static Eigen::Index row(std::size_t i) { return static_cast<Eigen::Index>(i); }
  Eigen::Index rows() const { return row(choices_.size()); }
  double correlation(std::size_t a, std::size_t b) const {
    double product = 1.0;
    double sum = 0.0;
    for (const Coordinates::Axis& axis : coordinates_.axes()) {
      const double distance = Coordinates::distance(axis, axis.level[a], axis.level[b]) / kLength;
      const double value = std::exp(-distance * distance / 2.0);
      product *= value;
      sum += value;
    }
    if (coordinates_.axes().empty()) return 1.0;
    return (1.0 - kAdditive) * product + kAdditive * sum / static_cast<double>(coordinates_.axes().size());
  }
  Eigen::VectorXd with(std::size_t candidate) const {
    Eigen::VectorXd result(rows());
    for (std::size_t i = 0; i < choices_.size(); ++i) result[row(i)] = correlation(choices_[i], candidate);
    return result;
  }

  const Coordinates& coordinates_;
  std::vector<std::size_t> choices_;  ///< the first of them are also the reference
  Eigen::MatrixXd covariance_;
  Eigen::VectorXd variance_;
  std::vector<Known> known_;
  std::vector<double> earlier_;
};

}  // namespace

std::vector<std::size_t> space_filling(const Coordinates& coordinates, std::size_t count, std::uint64_t seed,
                                       const std::vector<bool>& excluded) {
  std::vector<std::size_t> choices = Random(seed).permutation(coordinates.candidates());
  choices.resize(std::min(choices.size(), kMostChoices));
  Design space(coordinates, std::move(choices));
  for (std::size_t i = 0; i < excluded.size(); ++i) {
    if (excluded[i]) space.know(i);
  }
  std::vector<bool> closed = excluded;
  std::vector<std::size_t> design;
  for (std::size_t place = space.best(closed);
       design.size() < count && place < std::min(coordinates.candidates(), kMostChoices); place = space.best(closed)) {
    const std::size_t chosen = space.candidate(place);
    design.push_back(chosen);
    closed[chosen] = true;
    space.know(chosen);
  }
  return design;
}

}  // namespace kareus::search
