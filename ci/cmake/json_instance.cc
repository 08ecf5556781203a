// The one instance of the JSON value that the precompiled header promises.
#include <nlohmann/json.hpp>

template class nlohmann::basic_json<>;
