// Runs a fuzz target on its seeds and on mutations of them. The mutations are a function of the seed files, so a
// failure repeats. The same targets link with libFuzzer instead of this file.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

void run(const std::string& input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

std::string mutate(std::string text, const std::vector<std::string>& seeds, std::mt19937_64& random) {
  static const std::vector<std::string> kTokens = {"\"",
                                                   "{",
                                                   "}",
                                                   "[",
                                                   "]",
                                                   "(",
                                                   ")",
                                                   ",",
                                                   ":",
                                                   "=",
                                                   "#",
                                                   "\n",
                                                   "\\",
                                                   "-1",
                                                   "0",
                                                   "1e999",
                                                   "nan",
                                                   "inf",
                                                   "null",
                                                   "9223372036854775808",
                                                   "true",
                                                   "''",
                                                   "\xff",
                                                   std::string(1, '\0'),
                                                   "[[[[[[[[[[[[[[[[",
                                                   "\r\n",
                                                   ".",
                                                   "-"};
  const auto pick = [&](std::size_t count) { return count == 0 ? 0 : random() % count; };
  for (std::uint64_t edits = 1 + random() % 4; edits > 0; --edits) {
    const std::size_t at = pick(text.size() + 1);
    const std::size_t length = std::min<std::size_t>(pick(32) + 1, text.size() - at);
    switch (random() % 6) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(at, kTokens[pick(kTokens.size())]);
        break;
      case 2:
        text.resize(at);
        break;
      case 3:
        text.insert(at, text.substr(at, length));
        break;
      case 4:
        if (at < text.size()) text[at] = static_cast<char>(random());
        break;
      case 5: {
        const std::string& other = seeds[pick(seeds.size())];
        text.insert(at, other.substr(pick(other.size()), pick(64)));
        break;
      }
    }
  }
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s SEED_FOLDER [MUTATIONS_PER_SEED]\n", argv[0]);
    return 2;
  }
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1])) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<std::string> seeds;
  for (const auto& file : files) {
    std::ifstream stream(file, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  }
  if (seeds.empty()) {
    std::fprintf(stderr, "no seeds in %s\n", argv[1]);
    return 1;
  }
  const long mutations = argc > 2 ? std::atol(argv[2]) : 2000;
  std::mt19937_64 random(20240601);
  run("");
  for (const std::string& seed : seeds) {
    run(seed);
    for (long i = 0; i < mutations; ++i) run(mutate(seed, seeds, random));
  }
  std::printf("%zu seeds, %ld mutations each\n", seeds.size(), mutations);
  return 0;
}
