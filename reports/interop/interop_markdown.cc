#include "reports/interop/interop_markdown.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "reports/escape.h"
#include "reports/excerpt.h"
#include "reports/interop/interop_text.h"
#include "reports/markdown.h"
#include "reports/text.h"

namespace assay::reports {
namespace {

constexpr std::size_t kMostBytesOfEvent = 1200;
constexpr std::size_t kMostBytesOfText = 600;
// Kept for what stands at the end.
constexpr std::size_t kRoomAtEnd = 1000;
constexpr std::size_t kMostTableRows = 60;

std::string in_markdown(std::string_view text) {
  return markdown_text(cut(text, kMostBytesOfText));
}

// One row for each client and way, one column for each server: how many acts work and fail.
std::string pair_table(const InteropResult& result) {
  std::vector<const PairParty*> servers;
  for (const PairParty& server : result.servers) {
    if (!server.is_reference) servers.push_back(&server);
  }
  std::string out = "| client | over |";
  for (const PairParty* server : servers) out += fmt::format(" {} |", in_markdown(server->name));
  out += "\n|---|---|";
  for (std::size_t i = 0; i < servers.size(); ++i) out += "---|";
  out += "\n";
  std::size_t rows = 0;
  for (const PairParty& client : result.clients) {
    if (client.is_reference) continue;
    std::vector<std::pair<std::string, std::string>> ways;
    for (const PairCell& cell : result.cells) {
      const std::pair<std::string, std::string> way{cell.transport, cell.era};
      const bool is_new = std::find(ways.begin(), ways.end(), way) == ways.end();
      if (cell.client == client.name && is_new) ways.push_back(way);
    }
    for (const auto& [transport, era] : ways) {
      if (++rows > kMostTableRows) return out + "\nMore rows are left out here.\n";
      out += fmt::format("| {} | {}{} |", in_markdown(client.name), in_markdown(transport),
                         era == "oldest" ? ", oldest" : "");
      for (const PairParty* server : servers) {
        std::string text = "–";
        for (const PairCell& cell : result.cells) {
          const bool is_it = cell.client == client.name && cell.server == server->name &&
                             cell.transport == transport && cell.era == era;
          if (!is_it) continue;
          text = has_failed(cell) ? "✗" : (cell.not_run.empty() ? "✓" : "not run");
          for (const PairAct& act : cell.acts) {
            if (is_failing(act.outcome)) text += " " + markdown_text(act.act);
          }
        }
        out += fmt::format(" {} |", text);
      }
      out += "\n";
    }
  }
  return out;
}

std::string failure_account(const Failure& failure) {
  const PairCell& cell = *failure.cell;
  const PairAct& act = *failure.act;
  std::string out = fmt::format("\n<details><summary><b>{}</b>: {}</summary>\n\n",
                                in_markdown(cell.title()), in_markdown(failure_title(act)));
  if (!act.detail.empty()) out += fmt::format("What happened: {}\n\n", in_markdown(act.detail));
  for (const std::string& blame : blame_of(cell, act)) {
    out += fmt::format("- {}\n", in_markdown(blame));
  }
  if (!act.breaches.empty()) out += "\n";
  if (act.parting) out += fmt::format("They parted here: {}\n\n", in_markdown(act.parting->why));
  if (const Evidence* event = parting_event(cell, act)) {
    const Excerpt part = excerpt(*event, kMostBytesOfEvent);
    out += fmt::format("{} (event {}, {}):\n\n{}\n", speaker_words(*event), event->n,
                       in_markdown(event->lane),
                       markdown_block(part.before + part.marked + part.after));
  }
  return out + "</details>\n";
}

}  // namespace

std::string render_interop_markdown(const InteropResult& result) {
  std::string out =
      fmt::format("### MCP interoperability: {}\n\n", in_markdown(conclusion(result)));
  if (result.was_interrupted) {
    out += "The run was cut short: what is missing was not tested.\n\n";
  }
  out += pair_table(result);
  std::size_t left_out = 0;
  for (const Failure& failure : failures_of(result)) {
    const std::string text = failure_account(failure);
    if (left_out > 0 || out.size() + text.size() > kMaxMarkdownBytes - kRoomAtEnd) {
      ++left_out;
    } else {
      out += text;
    }
  }
  if (left_out > 0) {
    out += fmt::format("\n{} left out here: see the page or the JSON report.\n",
                       plural(static_cast<int>(left_out), "more failure"));
  }
  out += fmt::format("\nmcp-assay {}, catalogue {}\n", in_markdown(result.tool_version),
                     in_markdown(result.catalogue_version));
  return out;
}

}  // namespace assay::reports
