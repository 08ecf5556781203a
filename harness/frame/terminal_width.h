// What the terminal can do that a person reads on.
#pragma once

namespace assay::cli {

// Columns of the terminal at the descriptor; `otherwise` if it is no terminal, or does not say.
int terminal_width(int descriptor, int otherwise);

// It is a terminal, and one that can move its cursor: TERM is not "dumb".
bool is_capable_terminal(int descriptor);
// Colours are wanted where they are not asked for: it is such a terminal, and NO_COLOR is empty.
bool wants_color(int descriptor);

}  // namespace assay::cli
