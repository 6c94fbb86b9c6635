from rentals.models.bookings import Assignment, Booking, BookingEvent, Maintenance
from rentals.models.catalog import Component, Configuration, GpuModel, Image, Interconnect, ServerModel, ServerModelGpu, StorageClass, UnitKind
from rentals.models.deployments import Announcement, Deployment, DeploymentStep, Interruption, Operation
from rentals.models.inventory import Accelerator, Fabric, Server, Site, Unit, UnitClass, WipeEvidence
from rentals.models.quotes import Quote, QuoteLine

__all__ = [
    "Accelerator", "Announcement", "Assignment", "Booking", "BookingEvent", "Component", "Configuration", "Deployment", "DeploymentStep", "Fabric",
    "GpuModel", "Image", "Interconnect", "Interruption", "Maintenance", "Operation", "Quote", "QuoteLine", "Server", "ServerModel", "ServerModelGpu", "Site",
    "StorageClass", "Unit", "UnitClass", "UnitKind", "WipeEvidence",
]  # fmt: skip
