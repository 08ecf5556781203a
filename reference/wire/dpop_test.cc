#include "reference/wire/dpop.h"

#include <gtest/gtest.h>

namespace assay::wire {
namespace {

// The example of RFC 9449, section 7.1.
TEST(Dpop, HashesAnAccessToken) {
  EXPECT_EQ(access_token_hash("Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU"),
            "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo");
}

// The example of RFC 9449, section 6.1, made of the key of section 4.2.
TEST(Dpop, MakesTheThumbprintOfAKey) {
  Json key = {{"kty", "EC"},
              {"x", "l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs"},
              {"y", "9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA"},
              {"crv", "P-256"}};
  EXPECT_EQ(jwk_thumbprint(key), "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I");
  key["kid"] = "another name";
  EXPECT_EQ(jwk_thumbprint(key), "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I");
}

TEST(Dpop, MakesNoThumbprintOfWhatIsNoPublicKey) {
  EXPECT_EQ(jwk_thumbprint(nullptr), "");
  EXPECT_EQ(jwk_thumbprint({{"kty", "oct"}, {"k", "c2VjcmV0"}}), "");
  EXPECT_EQ(jwk_thumbprint({{"kty", "EC"}, {"crv", "P-256"}, {"x", 1}, {"y", "2"}}), "");
}

// SHA-256 of an empty text is known well.
TEST(Dpop, DigestsABody) {
  EXPECT_EQ(content_digest(""), "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:");
}

}  // namespace
}  // namespace assay::wire
