#pragma once

#include <span>
#include <string>
#include <string_view>

namespace kareus::report {

/// A page that needs no network: `body` (a template with `{{title}}` places) and data (JSON) between what all pages
/// share and the page's own scripts.
std::string make_page(std::string_view title, std::string_view body, std::string_view data,
                      std::span<const std::string_view> scripts);

}  // namespace kareus::report
