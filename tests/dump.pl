#!/usr/bin/perl
# What host_dump prints (dump.sh): on stdin what ip and rdma say; the argument is the state folder.
use strict;

my $state = shift // '/run';
my $conf = '/proc/sys/net';

sub names {
	my ($folder) = @_;
	opendir my $dir, $folder or return;
	return sort grep { !/^\.\.?$/ } readdir $dir;
}

# The first line, or undef: some settings cannot be read before they were set (stable_secret).
sub content {
	open my $file, '<', $_[0] or return;
	my $line = <$file>;
	chomp $line if defined $line;
	return $line;
}

# ---- sysctls ----

# Of hardware, which comes back from a pod, each setting that is not the default of its namespace.
sub of_hardware {
	my ($family) = @_;
	my $folder = "$conf/$family/conf";
	my %default = map { $_ => content("$folder/default/$_") } names("$folder/default");
	for my $device (grep { -e "/sys/class/net/$_/device" } names($folder)) {
		for (names("$folder/$device")) {
			my $value = content("$folder/$device/$_") // next;
			print "$family/$device/$_ $value\n" if $value ne ($default{$_} // '');
		}
	}
}

# Of each netdev, those that the plugin might change to announce and keep its addresses.
sub of_all {
	my ($family, @settings) = @_;
	for my $device (names("$conf/$family/conf")) {
		for (@settings) {
			my $value = content("$conf/$family/conf/$device/$_") // next;
			print "$family/$device/$_ $value\n";
		}
	}
}

# ---- links, addresses, routes ----

# Where no administrator has set a VF's MAC, drivers show none, or the one that the VF chose: "own".
# {"PF VF"}: the MAC of that VF's netdev, if it is here.
my %mac;
sub vf_macs {
	for my $pf (names('/sys/class/net')) {
		my $device = "/sys/class/net/$pf/device";
		for (grep { /^virtfn/ } names($device)) {
			my ($netdev) = names("$device/$_/net") or next;
			$mac{"$pf " . substr $_, 6} = content("$device/$_/net/$netdev/address");
		}
	}
}

sub own_mac {
	my ($pf, $part) = @_;
	$part =~ /^(vf (\d+) +\S+ )([0-9a-f:]+)/ or return $part;
	$3 eq '00:00:00:00:00:00' or $3 eq ($mac{"$pf $2"} // '') or return $part;
	return "$1own" . substr $part, length "$1$3";
}

# One link as "ip -o -d link" prints it, into a line for each of its parts. Without carrier, the state of
# its other end, the qdisc while it is down, what a driver takes for the permanent MAC, and the
# parameters of a kind, timers among them.
sub link_at_rest {
	my ($pf, $first, @parts) = @_;
	$first =~ s/(NO-CARRIER|LOWER_UP|M-DOWN|DORMANT),?//g;
	$first =~ s/,>/>/;
	$first =~ s/ state \S+//;
	$first =~ s/ qdisc \S+// if $first !~ /[<,]UP[,>]/;
	$parts[0] =~ s/ permaddr \S+//;
	for (@parts) {
		s/^(\w+) .*?((addrgenmode|numtxqueues) .*|$)/$1 $2/ if !/^(link\/\S+|vf|alias|altname) /;
	}
	print join("\n    ", $first, map { own_mac($pf, $_) } @parts), "\n";
}

# Link-local addresses and routes come and go with the carrier; the kernel makes those of the table local.
sub at_rest {
	local $_ = shift;
	if (/^\d+: ([^\s:@]+)\S* </) {
		return link_at_rest($1, map { s/ +$//r } split /\\ */);
	} elsif (/^\d+: \S+ +inet6? /) {
		return if / scope link /;
		s/ *\\.*//;
		s/ (tentative|deprecated|dadfailed)//g;
	} elsif (/^(local|broadcast|multicast|anycast) |^unicast (fe80|ff00)/) {
		return;
	} else {
		s/ (linkdown|dead|expires \d+sec)//g;
		s/ fw \S*//;
	}
	print "$_\n";
}

# ---- files ----

# The lease map is a cache that may be rebuilt at any time, and pool locks stay; both say nothing of an
# address.
sub files {
	my ($folder, $skip) = @_;
	for (names($folder)) {
		my $path = "$folder/$_";
		if (-l $path) {
			print "$path l ", readlink $path, "\n";
		} elsif (-d _) {
			files($path, $skip);
		} elsif (!/$skip/) {
			print "$path f \n";
		}
	}
}

of_all('ipv4', 'arp_notify');
of_all('ipv6', 'disable_ipv6', 'ndisc_notify', 'keep_addr_on_down');
of_hardware('ipv4');
of_hardware('ipv6');
print "netns $_\n" for names('/run/netns');
files("$state/roce-cni", qr/^map$/);
files("$state/roce-ipam", qr/^(map|lock)$/);
vf_macs();
while (my $line = <STDIN>) {
	chomp $line;
	at_rest($line);
}
