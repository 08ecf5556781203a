// How wide the terminal is that a person reads on.
#pragma once

namespace assay::cli {

// Columns of the terminal behind the descriptor; `otherwise` if it is none, or does not say.
int terminal_width(int descriptor, int otherwise);

}  // namespace assay::cli
