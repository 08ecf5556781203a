// What a process has from whoever started it, and cannot work with.
#pragma once

namespace assay::transport {

// Opens standard streams that are closed on /dev/null: the next file would become one of them. And
// ends of children are told again, where they were to be ignored: a server's would never be seen.
// For main(), before anything else.
void repair_inheritance();

}  // namespace assay::transport
