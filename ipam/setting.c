// SPDX-License-Identifier: Apache-2.0
#include "ipam/setting.h"

#include "base/log.h"

#include <errno.h>

static int read_node(const char *data_dir, struct home *ret_home, struct opt_int *ret_index,
		     struct err *err)
{
	struct profile profile;
	int r = profile_load(PROFILE_PATH, &profile, err);

	if (r < 0)
		return r;
	r = home_find(&profile, data_dir, ret_home, err);
	*ret_index = profile.node_index;
	profile_free(&profile);
	return r;
}

int setting_read(const struct cni_call *call, struct ipamconf *ret_conf, struct home *ret_home,
		 struct err *err)
{
	struct opt_int node_index;
	int r = ipamconf_read(call->json, ret_conf, err);

	if (r < 0)
		return r;
	r = read_node(ret_conf->data_dir, ret_home, &node_index, err);
	if (r == 0)
		r = ipamconf_slice(ret_conf, node_index, err);
	if (r < 0)
		ipamconf_free(ret_conf);
	return r;
}

int setting_home(const struct cni_call *call, struct home *ret_home, struct err *err)
{
	struct opt_int node_index;

	return read_node(ipamconf_peek(call->json, "dataDir"), ret_home, &node_index, err);
}

int setting_guess(const struct cni_call *call, struct home *ret_home, struct err *err)
{
	const char *data_dir = ipamconf_peek(call->json, "dataDir");
	struct err broken = { 0 };
	struct profile profile;
	int r;

	profile_load_for_del(PROFILE_PATH, &profile, &broken);
	broken = (struct err){ 0 };
	r = home_find(&profile, data_dir, ret_home, &broken);
	if (r < 0 && data_dir) {
		log_warn("%s; looking for the leases of network %s below %s/roce-ipam", broken.msg,
			 call->name, profile.state_dir);
		r = home_find(&profile, NULL, ret_home, err);
	} else if (r < 0) {
		*err = broken;
	}
	profile_free(&profile);
	return r;
}
