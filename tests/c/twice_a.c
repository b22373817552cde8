/* Half of a program that includes the header twice in each of two units: the include guard works, and the static inline
 * functions of the units neither collide when linked nor differ. */

#include "loopmem.h"
#include "loopmem.h"

loopmem_status twice_b(loopmem_store store, const char *url, loopmem_buffer *answer);

int main(void) {
  const char *url = "git@github.com:o/r.git";
  loopmem_repo_sanitize_remote_url_params params = {url};
  loopmem_store store = {0};
  loopmem_buffer here = {NULL, 0}, there = {NULL, 0};
  bool same;

  if (loopmem_open(NULL, 0, NULL, &store, NULL) != LOOPMEM_OK) return 1;
  if (loopmem_repo_sanitize_remote_url(store, &params, NULL, &here) != LOOPMEM_OK) return 2;
  if (twice_b(store, url, &there) != LOOPMEM_OK) return 3;
  same = strcmp(here.data, there.data) == 0;
  loopmem_buffer_free(&here);
  loopmem_buffer_free(&there);
  return same && loopmem_close(store) == LOOPMEM_OK ? 0 : 4;
}
