// SPDX-License-Identifier: GPL-2.0
/*
 * rdmatest: an RDMA device that looks like a virtual function's, for tests of what moves it.
 *
 * Theory of operation: for each PCI address of the parameter "pci", an ib_device is registered whose
 * parent is that PCI device and whose port 1 belongs to the PCI device's netdev. The RDMA core does
 * all that is looked at: names, sysfs, network namespaces, the GID table, statistics. Nothing can be
 * sent: there is no hardware, and no verbs for queues, so that the core does not offer the device to
 * its kernel clients (ib_mad would complain of a port that it cannot open).
 *
 * Unlike rdma_rxe it has .disassociate_ucontext, without which the core refuses to move a device to
 * another network namespace, and it is a child of the PCI device, as mlx5's devices are.
 *
 * The netdev is looked up when the RDMA device is registered, in whichever namespace it is. It may
 * then be moved about. When the VF loses its driver (sriov_numvfs, unbind), its RDMA device goes
 * first, as mlx5's does; when it is bound again, the RDMA device comes back.
 *
 * What is not on a real adapter, for tests:
 *   movable=0	no .disassociate_ucontext: the core does not move the device, as with qedr or efa
 *   zero_guid=1	a new device has the node GUID 0, as a VF that nobody has given one; may be changed later
 *   gid_delay=N	milliseconds that each new GID takes until it is in the table; may be changed later
 *   sf=PCI	a subfunction below this PCI device: an auxiliary device rdmatest.sf.1, whose driver makes a
 *		netdev sf0 and an RDMA device, as mlx5_core.sf.N has them. Its netdev sends nothing.
 *		sf=PCI,PCI makes two, rdmatest.sf.1 and rdmatest.sf.2, and so on
 *   twin=1	before those, a device rdmatest.sf.1 on another bus, with a netdev twin0
 *
 * The device takes itself for rxe towards userspace, so that the rxe provider of libibverbs opens it:
 * enough to ask for port and GID table and to wait for events. The real rxe, if it is loaded, must not find
 * it by its netdev, or it would end it as one of its own when that is moved: so .get_netdev, and no
 * ib_device_set_netdev().
 *
 * insmod rdmatest.ko pci=0000:01:10.0,0000:02:10.0
 * echo 'mlx5_0 out_of_buffer 7' >/sys/module/rdmatest/parameters/counter
 */
#include <linux/auxiliary_bus.h>
#include <linux/delay.h>
#include <linux/etherdevice.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/pci.h>
#include <linux/platform_device.h>
#include <linux/slab.h>
#include <linux/stringhash.h>
#include <net/net_namespace.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_verbs.h>
#include <uapi/rdma/ib_user_ioctl_verbs.h>

#define RT_MAX_DEVICES 16
#define RT_GID_TABLE_LEN 32
#define RT_PORT 1
#define RT_COUNTERS 28

static char *pci[RT_MAX_DEVICES];
static unsigned int pci_count;
module_param_array(pci, charp, &pci_count, 0444);
MODULE_PARM_DESC(pci, "PCI addresses of the virtual functions that get an RDMA device");

static bool movable = true;
module_param(movable, bool, 0444);
MODULE_PARM_DESC(movable, "whether the devices may change their network namespace");

static unsigned int gid_delay;
module_param(gid_delay, uint, 0644);
MODULE_PARM_DESC(gid_delay, "milliseconds until a new GID is in the table");

static bool zero_guid;
module_param(zero_guid, bool, 0644);
MODULE_PARM_DESC(zero_guid, "a new device has no node GUID");

static char *sf[RT_MAX_DEVICES];
static unsigned int sf_count;
module_param_array(sf, charp, &sf_count, 0444);
MODULE_PARM_DESC(sf, "PCI addresses, below each of which there is a subfunction");

static bool twin;
module_param(twin, bool, 0444);
MODULE_PARM_DESC(twin, "whether a platform device has the name of the first subfunction");

struct rt_device {
	struct ib_device ib;
	struct net_device *netdev;
	struct list_head entry;
	u64 counters[RT_COUNTERS];
};

/* The core allocates these, and wants to know where its own part is. */
struct rt_pd {
	struct ib_pd pd;
};

struct rt_ucontext {
	struct ib_ucontext context;
};

static LIST_HEAD(rt_devices);
static DEFINE_MUTEX(rt_lock); /* of rt_devices; taken inside a PCI device's own lock */

static struct rt_device *to_rt(struct ib_device *ib)
{
	return container_of(ib, struct rt_device, ib);
}

/* ---- what the device says about itself ---- */

static int rt_query_device(struct ib_device *ib, struct ib_device_attr *attr, struct ib_udata *udata)
{
	memset(attr, 0, sizeof(*attr));
	attr->max_mr_size = 1 << 30;
	attr->page_size_cap = PAGE_SIZE;
	attr->max_pd = 64;
	attr->max_pkeys = 1;
	attr->sys_image_guid = ib->node_guid;
	return 0;
}

static int rt_query_port(struct ib_device *ib, u32 port, struct ib_port_attr *attr)
{
	struct net_device *netdev = to_rt(ib)->netdev;
	bool up = netif_running(netdev) && netif_carrier_ok(netdev);

	attr->state = up ? IB_PORT_ACTIVE : IB_PORT_DOWN;
	attr->phys_state = up ? IB_PORT_PHYS_STATE_LINK_UP : IB_PORT_PHYS_STATE_DISABLED;
	attr->max_mtu = IB_MTU_4096;
	attr->active_mtu = iboe_get_mtu(READ_ONCE(netdev->mtu));
	attr->gid_tbl_len = RT_GID_TABLE_LEN;
	attr->pkey_tbl_len = 1;
	attr->max_msg_sz = 1 << 30;
	attr->ip_gids = true;
	attr->active_width = IB_WIDTH_4X;
	attr->active_speed = IB_SPEED_EDR;
	return 0;
}

static struct net_device *rt_get_netdev(struct ib_device *ib, u32 port)
{
	dev_hold(to_rt(ib)->netdev);
	return to_rt(ib)->netdev;
}

static int rt_port_immutable(struct ib_device *ib, u32 port, struct ib_port_immutable *immutable)
{
	immutable->core_cap_flags = RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP;
	immutable->gid_tbl_len = RT_GID_TABLE_LEN;
	immutable->pkey_tbl_len = 1;
	return 0;
}

static enum rdma_link_layer rt_link_layer(struct ib_device *ib, u32 port)
{
	return IB_LINK_LAYER_ETHERNET;
}

static int rt_query_pkey(struct ib_device *ib, u32 port, u16 index, u16 *pkey)
{
	if (index > 0)
		return -EINVAL;
	*pkey = 0xffff;
	return 0;
}

/* The core keeps the table; a driver is only told so that it can write it into its hardware. */
static int rt_add_gid(const struct ib_gid_attr *attr, void **context)
{
	if (gid_delay)
		msleep(gid_delay);
	return 0;
}

static int rt_del_gid(const struct ib_gid_attr *attr, void **context)
{
	return 0;
}

/* ---- contexts: enough for an ibv_open_device() ---- */

static int rt_alloc_ucontext(struct ib_ucontext *context, struct ib_udata *udata)
{
	return 0;
}

static void rt_dealloc_ucontext(struct ib_ucontext *context)
{
}

/* Its presence is what allows a move to another network namespace. */
static void rt_disassociate_ucontext(struct ib_ucontext *context)
{
}

static int rt_alloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	return 0;
}

static int rt_dealloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	return 0;
}

/* ---- statistics, under the names that mlx5 gives them ---- */

static const struct rdma_stat_desc rt_counters[] = {
	{ .name = "rx_write_requests" },
	{ .name = "rx_read_requests" },
	{ .name = "rx_atomic_requests" },
	{ .name = "out_of_buffer" },
	{ .name = "out_of_sequence" },
	{ .name = "duplicate_request" },
	{ .name = "rnr_nak_retry_err" },
	{ .name = "packet_seq_err" },
	{ .name = "implied_nak_seq_err" },
	{ .name = "local_ack_timeout_err" },
	{ .name = "resp_local_length_error" },
	{ .name = "resp_cqe_error" },
	{ .name = "req_cqe_error" },
	{ .name = "req_remote_invalid_request" },
	{ .name = "req_remote_access_errors" },
	{ .name = "resp_remote_access_errors" },
	{ .name = "resp_cqe_flush_error" },
	{ .name = "req_cqe_flush_error" },
	{ .name = "roce_adp_retrans" },
	{ .name = "roce_adp_retrans_to" },
	{ .name = "roce_slow_restart" },
	{ .name = "roce_slow_restart_cnps" },
	{ .name = "roce_slow_restart_trans" },
	{ .name = "rp_cnp_ignored" },
	{ .name = "rp_cnp_handled" },
	{ .name = "np_ecn_marked_roce_packets" },
	{ .name = "np_cnp_sent" },
	{ .name = "rx_icrc_encapsulated" },
};

static struct rdma_hw_stats *rt_alloc_stats(struct ib_device *ib, u32 port)
{
	return rdma_alloc_hw_stats_struct(rt_counters, ARRAY_SIZE(rt_counters),
					  RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

static int rt_get_stats(struct ib_device *ib, struct rdma_hw_stats *stats, u32 port, int index)
{
	static_assert(ARRAY_SIZE(rt_counters) == RT_COUNTERS);
	memcpy(stats->value, to_rt(ib)->counters, sizeof(to_rt(ib)->counters));
	return RT_COUNTERS;
}

/* "DEVICE COUNTER VALUE": nothing is ever sent, so a test says what was counted. */
static int rt_set_counter(const char *text, const struct kernel_param *param)
{
	char name[IB_DEVICE_NAME_MAX], counter[64];
	struct rt_device *rt;
	int i, ret = -ENOENT;
	u64 value;

	if (sscanf(text, "%63s %63s %llu", name, counter, &value) != 3)
		return -EINVAL;
	mutex_lock(&rt_lock);
	list_for_each_entry(rt, &rt_devices, entry) {
		if (strcmp(dev_name(&rt->ib.dev), name))
			continue;
		for (i = 0; i < RT_COUNTERS; i++) {
			if (strcmp(rt_counters[i].name, counter))
				continue;
			rt->counters[i] = value;
			ret = 0;
		}
	}
	mutex_unlock(&rt_lock);
	return ret;
}

static const struct kernel_param_ops rt_counter_ops = { .set = rt_set_counter };
module_param_cb(counter, &rt_counter_ops, NULL, 0200);
MODULE_PARM_DESC(counter, "write \"DEVICE COUNTER VALUE\" to set a counter");

/* ---- registration ---- */

static const struct ib_device_ops rt_ops = {
	.owner = THIS_MODULE,
	.driver_id = RDMA_DRIVER_RXE,
	.uverbs_abi_ver = 2, /* RXE_UVERBS_ABI_VERSION */
	.add_gid = rt_add_gid,
	.alloc_hw_port_stats = rt_alloc_stats,
	.alloc_pd = rt_alloc_pd,
	.alloc_ucontext = rt_alloc_ucontext,
	.dealloc_pd = rt_dealloc_pd,
	.dealloc_ucontext = rt_dealloc_ucontext,
	.del_gid = rt_del_gid,
	.get_hw_stats = rt_get_stats,
	.get_link_layer = rt_link_layer,
	.get_netdev = rt_get_netdev,
	.get_port_immutable = rt_port_immutable,
	.query_device = rt_query_device,
	.query_pkey = rt_query_pkey,
	.query_port = rt_query_port,
	INIT_RDMA_OBJ_SIZE(ib_pd, rt_pd, pd),
	INIT_RDMA_OBJ_SIZE(ib_ucontext, rt_ucontext, context),
};

static const struct ib_device_ops rt_movable_ops = {
	.disassociate_ucontext = rt_disassociate_ucontext,
};

/* The netdev whose parent is this device, with a reference, or NULL. */
static struct net_device *rt_find_netdev(struct device *parent)
{
	struct net_device *netdev, *found = NULL;
	struct net *net;

	rtnl_lock();
	down_read(&net_rwsem);
	for_each_net(net)
		for_each_netdev(net, netdev)
			if (netdev->dev.parent == parent && !found)
				found = netdev;
	if (found)
		dev_hold(found);
	up_read(&net_rwsem);
	rtnl_unlock();
	return found;
}

/* The adapter's firmware gives it to the function: it outlives netdev, MAC and driver. */
static __be64 rt_node_guid(const char *parent)
{
	return zero_guid ? 0 : cpu_to_be64(0x0200000000000000ULL | full_name_hash(NULL, parent, strlen(parent)));
}

/* @dma: the device that would read and write memory */
static int rt_register(struct device *parent, struct device *dma, struct net_device *netdev)
{
	struct rt_device *rt = ib_alloc_device(rt_device, ib);
	int ret;

	if (!rt)
		return -ENOMEM;
	rt->netdev = netdev;
	rt->ib.phys_port_cnt = 1;
	rt->ib.node_type = RDMA_NODE_IB_CA;
	rt->ib.num_comp_vectors = 1;
	rt->ib.dev.parent = parent;
	strscpy(rt->ib.node_desc, "rdmatest", sizeof(rt->ib.node_desc));
	rt->ib.node_guid = rt_node_guid(dev_name(parent));
	ib_set_device_ops(&rt->ib, &rt_ops);
	if (movable)
		ib_set_device_ops(&rt->ib, &rt_movable_ops);
	ret = ib_register_device(&rt->ib, "mlx5_%d", dma);
	if (ret) {
		ib_dealloc_device(&rt->ib);
		return ret;
	}
	mutex_lock(&rt_lock);
	list_add_tail(&rt->entry, &rt_devices);
	mutex_unlock(&rt_lock);
	return 0;
}

static struct rt_device *rt_take(struct device *parent)
{
	struct rt_device *rt, *found = NULL;

	mutex_lock(&rt_lock);
	list_for_each_entry(rt, &rt_devices, entry) {
		if (parent && rt->ib.dev.parent != parent)
			continue;
		list_del(&rt->entry);
		found = rt;
		break;
	}
	mutex_unlock(&rt_lock);
	return found;
}

/* remove the RDMA device of one parent, or of all */
static void rt_remove(struct device *parent)
{
	struct rt_device *rt;

	while ((rt = rt_take(parent))) {
		ib_unregister_device(&rt->ib);
		ib_dealloc_device(&rt->ib);
	}
}

/* with the PCI device's lock held: its driver does not come or go meanwhile */
static int rt_add(struct device *parent)
{
	struct net_device *netdev = rt_find_netdev(parent);
	int ret = netdev ? rt_register(parent, parent, netdev) : -ENODEV;

	if (netdev)
		dev_put(netdev); /* it outlives its RDMA device, see rt_bus_event() */
	if (ret)
		dev_err(parent, "rdmatest: error %d\n", ret);
	return ret;
}

static bool rt_wanted(struct device *dev)
{
	unsigned int i;

	for (i = 0; i < pci_count; i++)
		if (!strcmp(pci[i], dev_name(dev)))
			return true;
	return false;
}

static int rt_bus_event(struct notifier_block *block, unsigned long event, void *data)
{
	struct device *dev = data;

	if (!rt_wanted(dev))
		return NOTIFY_DONE;
	if (event == BUS_NOTIFY_BOUND_DRIVER)
		rt_add(dev);
	else if (event == BUS_NOTIFY_UNBIND_DRIVER)
		rt_remove(dev);
	return NOTIFY_DONE;
}

static struct notifier_block rt_bus_block = { .notifier_call = rt_bus_event };

/* A typing error should be an error, so each address must be there when the module is loaded. */
static int rt_add_by_name(const char *name)
{
	struct device *dev = bus_find_device_by_name(&pci_bus_type, NULL, name);
	int ret;

	if (!dev) {
		pr_err("rdmatest: no PCI device %s\n", name);
		return -ENODEV;
	}
	device_lock(dev);
	ret = rt_add(dev);
	device_unlock(dev);
	put_device(dev);
	return ret;
}

/* ---- the subfunction ---- */

struct rt_sf {
	struct auxiliary_device aux;
	struct net_device *netdev; /* while the driver is bound */
};

static struct rt_sf *rt_sfs[RT_MAX_DEVICES];

static netdev_tx_t rt_sf_xmit(struct sk_buff *skb, struct net_device *netdev)
{
	dev_kfree_skb(skb);
	return NETDEV_TX_OK;
}

static int rt_sf_open(struct net_device *netdev)
{
	netif_carrier_on(netdev);
	return 0;
}

static int rt_sf_stop(struct net_device *netdev)
{
	netif_carrier_off(netdev);
	return 0;
}

static const struct net_device_ops rt_sf_ops = {
	.ndo_open = rt_sf_open,
	.ndo_stop = rt_sf_stop,
	.ndo_start_xmit = rt_sf_xmit,
	.ndo_set_mac_address = eth_mac_addr,
	.ndo_validate_addr = eth_validate_addr,
};

/* Return: a netdev of @dev, or an error pointer. */
static struct net_device *rt_sf_netdev(struct device *dev, const char *name)
{
	struct net_device *netdev = alloc_etherdev(0);
	int ret;

	if (!netdev)
		return ERR_PTR(-ENOMEM);
	netdev->netdev_ops = &rt_sf_ops;
	netdev->max_mtu = 9216;
	eth_hw_addr_random(netdev);
	strscpy(netdev->name, name, IFNAMSIZ);
	SET_NETDEV_DEV(netdev, dev);
	netif_carrier_off(netdev);
	ret = register_netdev(netdev);
	if (!ret)
		return netdev;
	free_netdev(netdev);
	return ERR_PTR(ret);
}

static void rt_sf_netdev_remove(struct net_device *netdev)
{
	unregister_netdev(netdev);
	free_netdev(netdev);
}

static void rt_sf_unbind(struct auxiliary_device *aux)
{
	struct rt_sf *s = container_of(aux, struct rt_sf, aux);

	rt_remove(&aux->dev);
	rt_sf_netdev_remove(s->netdev);
}

static int rt_sf_bind(struct auxiliary_device *aux, const struct auxiliary_device_id *id)
{
	struct rt_sf *s = container_of(aux, struct rt_sf, aux);
	int ret;

	s->netdev = rt_sf_netdev(&aux->dev, "sf%d");
	if (IS_ERR(s->netdev))
		return PTR_ERR(s->netdev);
	ret = rt_register(&aux->dev, aux->dev.parent, s->netdev);
	if (ret)
		rt_sf_unbind(aux);
	return ret;
}

static const struct auxiliary_device_id rt_sf_ids[] = { { .name = KBUILD_MODNAME ".sf" }, {} };

static struct auxiliary_driver rt_sf_driver = {
	.name = "sf",
	.probe = rt_sf_bind,
	.remove = rt_sf_unbind,
	.id_table = rt_sf_ids,
};

static void rt_sf_release(struct device *dev)
{
	kfree(container_of(dev, struct rt_sf, aux.dev));
}

static void rt_sf_remove(void)
{
	unsigned int i;

	for (i = 0; i < sf_count; i++) {
		if (!rt_sfs[i])
			continue;
		auxiliary_device_delete(&rt_sfs[i]->aux);
		auxiliary_device_uninit(&rt_sfs[i]->aux);
	}
	auxiliary_driver_unregister(&rt_sf_driver);
}

static int rt_sf_add(struct device *parent, unsigned int i)
{
	struct rt_sf *s = kzalloc(sizeof(*s), GFP_KERNEL);
	int ret;

	if (!s)
		return -ENOMEM;
	s->aux.name = "sf";
	s->aux.id = i + 1;
	s->aux.dev.parent = parent;
	s->aux.dev.release = rt_sf_release;
	ret = auxiliary_device_init(&s->aux);
	if (ret) {
		kfree(s);
		return ret;
	}
	ret = auxiliary_device_add(&s->aux);
	if (ret)
		auxiliary_device_uninit(&s->aux);
	else
		rt_sfs[i] = s;
	return ret;
}

static int rt_sf_add_by_name(unsigned int i)
{
	struct device *dev = bus_find_device_by_name(&pci_bus_type, NULL, sf[i]);
	int ret = dev ? rt_sf_add(dev, i) : -ENODEV;

	if (dev)
		put_device(dev);
	return ret;
}

/* ---- the subfunction's namesake ---- */

static struct platform_device *rt_twin;
static struct net_device *rt_twin_netdev;

static void rt_twin_remove(void)
{
	if (rt_twin_netdev)
		rt_sf_netdev_remove(rt_twin_netdev);
	platform_device_unregister(rt_twin);
}

static int rt_twin_add(void)
{
	struct net_device *netdev;

	rt_twin = platform_device_register_simple(KBUILD_MODNAME ".sf", 1, NULL, 0);
	if (IS_ERR(rt_twin)) {
		int ret = PTR_ERR(rt_twin);

		rt_twin = NULL;
		return ret;
	}
	netdev = rt_sf_netdev(&rt_twin->dev, "twin%d");
	if (IS_ERR(netdev))
		return PTR_ERR(netdev);
	rt_twin_netdev = netdev;
	return 0;
}

static int __init rt_init(void)
{
	unsigned int i;
	int ret = auxiliary_driver_register(&rt_sf_driver);

	if (ret)
		return ret;
	for (i = 0; i < pci_count && !ret; i++)
		ret = rt_add_by_name(pci[i]);
	if (!ret && twin)
		ret = rt_twin_add();
	for (i = 0; i < sf_count && !ret; i++)
		ret = rt_sf_add_by_name(i);
	if (!ret)
		ret = bus_register_notifier(&pci_bus_type, &rt_bus_block);
	if (ret) {
		rt_sf_remove();
		rt_twin_remove();
		rt_remove(NULL);
	}
	return ret;
}

static void __exit rt_exit(void)
{
	bus_unregister_notifier(&pci_bus_type, &rt_bus_block);
	rt_sf_remove();
	rt_twin_remove();
	rt_remove(NULL);
}

module_init(rt_init);
module_exit(rt_exit);
MODULE_DESCRIPTION("RDMA devices without hardware, for tests of what moves them");
MODULE_LICENSE("GPL");
