#include <fmt/format.h>
#include <xgboost/c_api.h>

#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <string_view>

#include "search/label_scale.hpp"
#include "search/surrogate.hpp"

// Only functions of the C interface that versions 1.7 to 3 share are used; the C++ headers are not a stable interface.

namespace kareus::search {
namespace {

constexpr int kRounds = 100;

// A handle is freed in destructors, where a failure could not be answered by anything.
struct FreeMatrix {
  void operator()(void* handle) const { (void)XGDMatrixFree(handle); }
};
struct FreeBooster {
  void operator()(void* handle) const { (void)XGBoosterFree(handle); }
};
using Matrix = std::unique_ptr<void, FreeMatrix>;
using Booster = std::unique_ptr<void, FreeBooster>;

/// Turns a return code of the library into a Result. The message belongs to the calling thread's last failure.
Result<void> checked(int return_code, std::string_view call) {
  if (return_code == 0) return {};
  const std::string_view message = XGBGetLastError();
  // The first line says what; a stack trace follows.
  return fail(ErrorCode::internal, fmt::format("XGBoost: {}: {}", call, message.substr(0, message.find('\n'))));
}

/// The library looks for a JSON object in __array_interface__ form.
std::string array_interface(const FeatureMatrix& x) {
  return fmt::format(R"({{"data":[{},true],"shape":[{},{}],"typestr":"<f4","version":3}})",
                     reinterpret_cast<std::uintptr_t>(x.data()), x.rows(), x.columns());
}

Result<Matrix> make_matrix(const FeatureMatrix& x, std::span<const float> labels) {
  DMatrixHandle handle = nullptr;
  KAREUS_RETURN_IF_ERROR(
      checked(XGDMatrixCreateFromMat(x.data(), x.rows(), x.columns(), std::numeric_limits<float>::quiet_NaN(), &handle),
              "creating a matrix"));
  Matrix matrix(handle);
  // Unchecked, a rejected label would leave a matrix without labels that trains without complaint.
  KAREUS_RETURN_IF_ERROR(
      checked(XGDMatrixSetFloatInfo(matrix.get(), "label", labels.data(), labels.size()), "setting the labels"));
  return matrix;
}

Result<Booster> make_booster(const Matrix& matrix, std::uint64_t seed) {
  const std::array<DMatrixHandle, 1> matrices = {matrix.get()};
  BoosterHandle handle = nullptr;
  KAREUS_RETURN_IF_ERROR(checked(XGBoosterCreate(matrices.data(), matrices.size(), &handle), "creating a booster"));
  Booster booster(handle);
  // Of the published system: depth, eta, rounds (Kareus, appendix C); subsample, colsample and child weight (its code).
  // One thread: the work is milliseconds, and OpenMP's barriers cost a thousand times that on a busy machine.
  // `exact` tries every midpoint and builds no sketch: as fast at a few hundred rows, and deterministic.
  const std::string seed_text = fmt::to_string(seed & 0x7fffffffU);
  const std::array<std::pair<const char*, const char*>, 14> parameters = {{
      {"nthread", "1"},
      {"booster", "gbtree"},
      {"objective", "reg:squarederror"},
      {"tree_method", "exact"},
      {"max_depth", "6"},
      {"eta", "0.3"},
      {"subsample", "0.8"},
      {"colsample_bytree", "0.8"},
      {"min_child_weight", "1"},
      {"lambda", "1"},
      {"gamma", "0"},
      {"base_score", "0"},  // the mean of the scaled labels
      {"disable_default_eval_metric", "1"},
      {"seed", seed_text.c_str()},
  }};
  for (const auto& [name, value] : parameters) {
    KAREUS_RETURN_IF_ERROR(checked(XGBoosterSetParam(booster.get(), name, value), name));
  }
  return booster;
}

class XgboostSurrogate final : public Surrogate {
 public:
  Result<void> fit(const FeatureMatrix& x, std::span<const double> y, std::uint64_t seed) override {
    KAREUS_CHECK(!y.empty() && y.size() == x.rows());
    for (const double label : y) KAREUS_CHECK(std::isfinite(label));
    booster_.reset();
    scale_ = LabelScale(y);
    columns_ = x.columns();
    if (scale_.constant()) return {};
    // Thread-local in the library, hence here and not once per process.
    KAREUS_RETURN_IF_ERROR(checked(XGBSetGlobalConfig(R"({"verbosity":0})"), "setting the verbosity"));
    const auto matrix = make_matrix(x, scale_.scale(y));
    if (!matrix) return tl::unexpected(matrix.error());
    auto booster = make_booster(*matrix, seed);
    if (!booster) return tl::unexpected(std::move(booster).error());
    // The random engine is thread-local and seeded when the first round configures the booster; all rounds run here,
    // with nothing of another booster in between.
    for (int round = 0; round < kRounds; ++round) {
      KAREUS_RETURN_IF_ERROR(checked(XGBoosterUpdateOneIter(booster->get(), round, matrix->get()), "training"));
    }
    booster_ = std::move(*booster);
    return {};
  }

  Result<std::vector<double>> predict(const FeatureMatrix& x) const override {
    KAREUS_CHECK(x.columns() == columns_);
    std::vector<double> predictions(x.rows(), scale_.mean());
    if (booster_ == nullptr || x.rows() == 0) return predictions;
    static constexpr const char* kConfig =
        R"({"type":0,"training":false,"iteration_begin":0,"iteration_end":0,"strict_shape":false,)"
        R"("missing":NaN,"cache_id":0})";
    const bst_ulong* shape = nullptr;
    bst_ulong dimensions = 0;
    const float* values = nullptr;
    KAREUS_RETURN_IF_ERROR(checked(XGBoosterPredictFromDense(booster_.get(), array_interface(x).c_str(), kConfig,
                                                             nullptr, &shape, &dimensions, &values),
                                   "predicting"));
    KAREUS_CHECK(dimensions >= 1 && shape[0] == x.rows());
    for (std::size_t i = 0; i < predictions.size(); ++i) {
      predictions[i] = scale_.restore(static_cast<double>(values[i]));
    }
    return predictions;
  }

 private:
  Booster booster_;  ///< none when the labels were constant
  LabelScale scale_{std::array{0.0}};
  std::size_t columns_ = 0;
};

}  // namespace

std::unique_ptr<Surrogate> make_xgboost_surrogate() {
  return std::make_unique<XgboostSurrogate>();
}

}  // namespace kareus::search
