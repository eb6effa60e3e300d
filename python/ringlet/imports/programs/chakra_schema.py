"""Schema of Chakra's execution traces (MLCommons, `et_def.proto`), as far as it is read: messages with the numbers of
their fields, made without generated code."""

from functools import cache
from typing import Any

from ringlet.imports.libraries import library

ATTRIBUTES = {
    "double_val": (3, "DOUBLE"),
    "float_val": (5, "FLOAT"),
    "int32_val": (7, "INT32"),
    "int64_val": (9, "INT64"),
    "uint32_val": (11, "UINT32"),
    "uint64_val": (13, "UINT64"),
    "sint32_val": (15, "SINT32"),
    "sint64_val": (17, "SINT64"),
    "fixed32_val": (19, "FIXED32"),
    "fixed64_val": (21, "FIXED64"),
    "sfixed32_val": (23, "SFIXED32"),
    "sfixed64_val": (25, "SFIXED64"),
    "bool_val": (27, "BOOL"),
    "string_val": (29, "STRING"),
}
"""Values of an attribute that are no lists: number and type of each field."""

NODE = {
    "id": (1, "UINT64"),
    "name": (2, "STRING"),
    "type": (3, "INT32"),
    "ctrl_deps": (4, "UINT64"),
    "data_deps": (5, "UINT64"),
    "duration_micros": (7, "UINT64"),
}
"""Fields of a node that are read."""

MEMORY_LOAD, MEMORY_STORE, COMPUTE, SEND, RECEIVE, COLLECTIVE = range(2, 8)
"""Types of nodes."""

(
    ALL_REDUCE,
    REDUCE,
    ALL_GATHER,
    GATHER,
    SCATTER,
    BROADCAST,
    ALL_TO_ALL,
    REDUCE_SCATTER,
    REDUCE_SCATTER_BLOCK,
    BARRIER,
) = range(10)
"""Types of collective operations."""


@cache
def classes() -> tuple[Any, Any]:
    """Returns the classes of the metadata and of a node.

    Raises:
        RingletError: protobuf is not there.
    """
    what = "Traces of Chakra"
    descriptors = library("google.protobuf.descriptor_pb2", "protobuf", what)
    pools = library("google.protobuf.descriptor_pool", "protobuf", what)
    factory = library("google.protobuf.message_factory", "protobuf", what)
    field = descriptors.FieldDescriptorProto
    file = descriptors.FileDescriptorProto(name="ringlet_chakra.proto", package="ChakraProtoMsg", syntax="proto3")
    attribute = file.message_type.add(name="AttributeProto")
    attribute.field.add(name="name", number=1, type=field.TYPE_STRING, label=field.LABEL_OPTIONAL)
    attribute.oneof_decl.add(name="value")
    for name, (number, kind) in ATTRIBUTES.items():
        kind_number = getattr(field, f"TYPE_{kind}")
        attribute.field.add(name=name, number=number, type=kind_number, label=field.LABEL_OPTIONAL, oneof_index=0)
    node = file.message_type.add(name="Node")
    for name, (number, kind) in NODE.items():
        label = field.LABEL_REPEATED if name.endswith("deps") else field.LABEL_OPTIONAL
        node.field.add(name=name, number=number, type=getattr(field, f"TYPE_{kind}"), label=label)
    metadata = file.message_type.add(name="GlobalMetadata")
    metadata.field.add(name="version", number=1, type=field.TYPE_STRING, label=field.LABEL_OPTIONAL)
    for message, number in ((node, 10), (metadata, 2)):
        repeated = message.field.add(name="attr", number=number, type=field.TYPE_MESSAGE, label=field.LABEL_REPEATED)
        repeated.type_name = ".ChakraProtoMsg.AttributeProto"
    pool = pools.DescriptorPool()
    pool.Add(file)
    metadata_class, node_class = (
        factory.GetMessageClass(pool.FindMessageTypeByName(f"ChakraProtoMsg.{name}"))
        for name in ("GlobalMetadata", "Node")
    )
    return metadata_class, node_class
