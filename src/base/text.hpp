#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kareus/quantity.hpp"

namespace kareus {

/// The candidate nearest to `word` in edit distance, if it is near enough to be a slip of the pen.
std::optional<std::string> nearest_word(std::string_view word, std::span<const std::string> candidates);

/// `did you mean 'x'?`, or the list of candidates when none is near and they are few, or nothing.
std::string suggestion(std::string_view word, std::span<const std::string> candidates);

/// `a, b and c`.
std::string join_words(std::span<const std::string> words);

/// Columns aligned with two spaces between; numbers (cells that start with a digit, sign or dot) to the right.
std::string text_table(std::span<const std::string> header, std::span<const std::vector<std::string>> rows);

/// Human forms with units: `4.353 s`, `12.3 ms`; `22.1 kJ`, `0.95 J`; `85.0 W`.
std::string human(Seconds value);
std::string human(Joules value);
std::string human(Watts value);

/// 64-bit FNV-1a of a text: a stable identity across runs and machines, not a security measure.
std::uint64_t stable_hash(std::string_view text);
std::string hex(std::uint64_t value);

/// A seed for the part called `name` of a computation seeded with `seed`; independent parts get unrelated streams.
std::uint64_t derive_seed(std::uint64_t seed, std::string_view name);

}  // namespace kareus
