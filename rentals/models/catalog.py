"""What can be rented: reference data, loaded from rentals/data/*.csv by services.catalog.load and edited through the admin."""

from __future__ import annotations

from decimal import Decimal

from django.db import models


class GpuModel(models.Model):
    """Facts about an accelerator, dense figures without sparsity. GB = 1e9 bytes as marketed; GB/s; TFLOPS; watts."""

    slug = models.SlugField(unique=True)
    name = models.CharField(max_length=80)
    family = models.CharField(max_length=20)  # what the facet shows: A100, V100, T4 ...
    form_factor = models.CharField(max_length=30)
    architecture = models.CharField(max_length=30)
    memory_gb = models.PositiveIntegerField()
    memory_type = models.CharField(max_length=10)
    memory_bandwidth_gbs = models.PositiveIntegerField()
    fp64_tflops = models.DecimalField(max_digits=9, decimal_places=3, null=True)
    fp32_tflops = models.DecimalField(max_digits=9, decimal_places=3, null=True)
    tf32_tflops = models.DecimalField(max_digits=9, decimal_places=3, null=True)
    fp16_tflops = models.DecimalField(max_digits=9, decimal_places=3, null=True)
    bf16_tflops = models.DecimalField(max_digits=9, decimal_places=3, null=True)
    fp8_tflops = models.DecimalField(max_digits=9, decimal_places=3, null=True)
    int8_tops = models.DecimalField(max_digits=9, decimal_places=3, null=True)
    tdp_w = models.PositiveIntegerField()
    nvlink_gbs = models.DecimalField(max_digits=8, decimal_places=1, null=True)  # total, both directions, per GPU
    pcie_generation = models.PositiveSmallIntegerField()
    compute_capability = models.CharField(max_length=10)
    mig_instances = models.PositiveSmallIntegerField(default=0)  # most instances per GPU; 0 = no MIG
    release_year = models.PositiveSmallIntegerField()
    note = models.CharField(max_length=200, blank=True)
    source = models.TextField()

    class Meta:
        ordering = ["slug"]

    def __str__(self) -> str:
        return self.name


class Interconnect(models.Model):
    """How the accelerators of a server reach one another; decides the drawing. `gbs_per_link` per direction; `gbs_per_gpu` and `bisection_gbs` both
    directions; `links` = [[gpu, gpu, number of links], ...] for a mesh."""

    class Shape(models.TextChoices):
        SWITCH = "switch"  # every GPU to a bar of switches
        MESH = "mesh"  # links between pairs
        PCIE = "pcie"  # only the host bus
        C2C = "c2c"  # GPU and CPU on one module

    slug = models.SlugField(unique=True)
    name = models.CharField(max_length=80)
    shape = models.CharField(max_length=8, choices=Shape.choices)
    gpus = models.PositiveSmallIntegerField()
    fabric = models.CharField(max_length=60)
    links_per_gpu = models.PositiveSmallIntegerField(default=0)
    gbs_per_link = models.DecimalField(max_digits=8, decimal_places=2, null=True)
    gbs_per_gpu = models.DecimalField(max_digits=8, decimal_places=1, null=True)
    switches = models.PositiveSmallIntegerField(default=0)
    bisection_gbs = models.DecimalField(max_digits=8, decimal_places=1, null=True)
    links = models.JSONField(default=list)
    host_link = models.CharField(max_length=80)
    host_gbs = models.DecimalField(max_digits=8, decimal_places=2)
    scale_out = models.CharField(max_length=80)
    source = models.TextField()

    class Meta:
        ordering = ["slug"]

    def __str__(self) -> str:
        return self.name


class ServerModel(models.Model):
    """A chassis build. `interconnect` is the slug of an Interconnect. GB = 1e9 bytes, TB = 1e12; `nic_gbit` per NIC."""

    slug = models.SlugField(unique=True)
    name = models.CharField(max_length=120)
    cpu = models.CharField(max_length=120)
    cpu_cores = models.PositiveIntegerField()
    memory_gb = models.PositiveIntegerField()
    nvme_tb = models.DecimalField(max_digits=6, decimal_places=2)
    nvme_disks = models.PositiveSmallIntegerField()
    nic = models.CharField(max_length=120)
    nics = models.PositiveSmallIntegerField(default=0)
    nic_gbit = models.PositiveIntegerField(default=0)
    interconnect = models.CharField(max_length=40)
    interconnect_name = models.CharField(max_length=80)  # what the facet shows: NVSwitch, NVLink, PCIe, NVLink-C2C
    interconnect_gbs = models.DecimalField(max_digits=8, decimal_places=1, null=True)  # per GPU, both directions
    power_kw = models.DecimalField(max_digits=6, decimal_places=2)
    source = models.TextField()

    class Meta:
        ordering = ["slug"]

    def __str__(self) -> str:
        return self.name


class ServerModelGpu(models.Model):
    """`count` accelerators of one GpuModel in a ServerModel, at the positions `first .. first+count-1` of its slots."""

    server_model = models.ForeignKey(ServerModel, on_delete=models.CASCADE, related_name="gpus")
    gpu_model = models.ForeignKey(GpuModel, on_delete=models.PROTECT, related_name="+")
    count = models.PositiveSmallIntegerField()
    first = models.PositiveSmallIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["server_model", "first"], name="rentals_gpu_positions_once")]
        ordering = ["first"]


class UnitKind(models.Model):
    """What a Unit is, wherever it stands: a whole ServerModel, a partition of it or one MIG profile. `sku` is the name by which billing prices it.

    `gpu_count` accelerators of `gpu_model`; a MIG kind has gpu_count 1 and takes `memory_slices` of the 8 of one GPU.
    """

    class Shape(models.TextChoices):
        WHOLE = "whole"
        PARTITION = "partition"
        MIG = "mig"

    sku = models.SlugField(unique=True)
    name = models.CharField(max_length=120)
    name_zh = models.CharField(max_length=120)
    shape = models.CharField(max_length=10, choices=Shape.choices)
    server_model = models.ForeignKey(ServerModel, on_delete=models.PROTECT, related_name="unit_kinds")
    gpu_model = models.ForeignKey(GpuModel, on_delete=models.PROTECT, related_name="+")
    gpu_count = models.PositiveSmallIntegerField()
    mig_profile = models.CharField(max_length=20, blank=True)
    memory_slices = models.PositiveSmallIntegerField(null=True)
    memory_gb = models.PositiveIntegerField()  # accelerator memory of the whole Unit
    # the Unit's share of the Server; null: all of it
    cpu_cores = models.PositiveIntegerField(null=True, blank=True)
    ram_gb = models.PositiveIntegerField(null=True, blank=True)
    nvme_tb = models.DecimalField(max_digits=6, decimal_places=2, null=True, blank=True)

    class Meta:
        ordering = ["sku"]

    def __str__(self) -> str:
        return self.name

    @property
    def share(self) -> tuple[int, int, Decimal]:
        """CPU cores, RAM in GB and NVMe in TB that come with the Unit."""
        whole = self.server_model
        return (
            whole.cpu_cores if self.cpu_cores is None else self.cpu_cores,
            whole.memory_gb if self.ram_gb is None else self.ram_gb,
            whole.nvme_tb if self.nvme_tb is None else self.nvme_tb,
        )


class Configuration(models.Model):
    """What the catalog sells: components + TopologyTemplate + terms. `sku` is its public name in URLs."""

    class Template(models.TextChoices):
        SINGLE_NODE = "single_node", "single node, all to all"
        HYBRID = "hybrid", "cross-accelerator hybrid"
        TRAIN_SERVE = "train_serve", "train and serve"
        MIG = "mig", "MIG partitioned"
        CLUSTER = "cluster", "scale-out RDMA cluster"
        HETEROGENEOUS = "heterogeneous", "heterogeneous pool"

    sku = models.SlugField(unique=True)
    name = models.CharField(max_length=120)
    name_zh = models.CharField(max_length=120)
    summary = models.CharField(max_length=300)
    summary_zh = models.CharField(max_length=300)
    template = models.CharField(max_length=20, choices=Template.choices)
    good_for = models.CharField(max_length=300, blank=True)
    good_for_zh = models.CharField(max_length=300, blank=True)
    minimum_hours = models.PositiveIntegerField(default=1)
    maximum_hours = models.PositiveIntegerField(default=24 * 90)
    horizon_days = models.PositiveIntegerField(default=180)  # how far ahead a Booking may start
    same_fabric = models.BooleanField(default=False)
    elastic = models.BooleanField(default=False)
    is_offered = models.BooleanField(default=True)
    rank = models.PositiveSmallIntegerField(default=100)
    source = models.TextField()

    class Meta:
        ordering = ["rank", "sku"]

    def __str__(self) -> str:
        return self.name


class Component(models.Model):
    """`count` Units of one kind in a Configuration. `role` says what the part is for (train, serve, node ...)."""

    configuration = models.ForeignKey(Configuration, on_delete=models.CASCADE, related_name="components")
    unit_kind = models.ForeignKey(UnitKind, on_delete=models.PROTECT, related_name="+")
    count = models.PositiveSmallIntegerField()
    role = models.CharField(max_length=40, blank=True)
    position = models.PositiveSmallIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["configuration", "unit_kind"], name="rentals_component_once"),
            models.CheckConstraint(condition=models.Q(count__gte=1), name="rentals_component_count"),
        ]
        ordering = ["position", "id"]


class Image(models.Model):
    """An operating system to deploy."""

    slug = models.SlugField(unique=True)
    name = models.CharField(max_length=120)
    login = models.CharField(max_length=30, default="ubuntu")
    is_offered = models.BooleanField(default=True)
    rank = models.PositiveSmallIntegerField(default=100)

    class Meta:
        ordering = ["rank", "slug"]

    def __str__(self) -> str:
        return self.name


class StorageClass(models.Model):
    """Attached storage sold by the terabyte (1e12 bytes). `capacity_tb` is what the Site holds."""

    sku = models.SlugField(unique=True)
    name = models.CharField(max_length=120)
    name_zh = models.CharField(max_length=120)
    capacity_tb = models.PositiveIntegerField()
    step_tb = models.PositiveIntegerField(default=1)
    maximum_tb = models.PositiveIntegerField(default=100)
    is_offered = models.BooleanField(default=True)

    class Meta:
        ordering = ["sku"]

    def __str__(self) -> str:
        return self.name
