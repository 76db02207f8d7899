#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "workload/parse.hpp"

/// Any text is either a model that can be planned for or an error that says what is wrong.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto model = kareus::workload::parse_model(text, "config.json");
  if (model) {
    const bool sound = model->hidden > 0 && model->head_dim > 0 && model->head_dim % 2 == 0 && model->kv_heads > 0 &&
                       model->heads % model->kv_heads == 0 && model->ffn_hidden > 0 && model->layers > 0 &&
                       model->vocabulary > 0;
    if (!sound) std::abort();
  } else if (model.error().problems.empty()) {
    std::abort();
  }
  return 0;
}
