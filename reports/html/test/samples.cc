// Writes the sample pages that the browser test opens: html_samples FOLDER
#include <cstdio>
#include <string>

#include "reports/html.h"
#include "reports/output.h"
#include "reports/overview.h"
#include "reports/result_testing.h"

int main(int argc, char** argv) {
  using namespace assay::reports;
  if (argc != 2) return 2;
  const std::string folder = argv[1];
  const Result sample = testing::sample();
  const Result hostile = testing::hostile();
  const OverviewEntry entries[] = {{&sample, "sample.html"}, {&hostile, ""}};
  const std::pair<const char*, std::string> pages[] = {
      {"sample.html", render_html(sample)},
      {"hostile.html", render_html(hostile)},
      {"full.html", render_html(testing::full(400))},
      {"overview.html", render_overview(entries)}};
  for (const auto& [name, text] : pages) {
    if (const auto error = write_file(folder + "/" + name, text)) {
      std::fprintf(stderr, "%s\n", error->c_str());
      return 1;
    }
  }
  return 0;
}
