// Nothing is kept from one time to the next.
#include "language/cache.hpp"

namespace isaforge::language {

std::shared_ptr<const CacheEntry> Cache::find(const CacheRequest&) const { return nullptr; }
void Cache::keep(const CacheRequest&, const std::vector<IncludedText>&, std::string_view) const {}

}  // namespace isaforge::language
