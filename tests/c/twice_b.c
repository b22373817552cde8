/* The other half of twice_a.c. */

#include "loopmem.h"
#include "loopmem.h"

loopmem_status twice_b(loopmem_store store, const char *url, loopmem_buffer *answer);

loopmem_status twice_b(loopmem_store store, const char *url, loopmem_buffer *answer) {
  loopmem_repo_sanitize_remote_url_params params = {url};
  return loopmem_repo_sanitize_remote_url(store, &params, NULL, answer);
}
