// The one instance of each that the precompiled header promises.
#include "json_instances.h"

ASSAY_JSON_INSTANCES()
