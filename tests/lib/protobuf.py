# SPDX-License-Identifier: MIT
"""For tests: the messages of a .proto file, and streams of them."""
import subprocess
import tempfile

import google.protobuf.descriptor_pb2 as descriptor_pb2
import google.protobuf.descriptor_pool as descriptor_pool
import google.protobuf.message_factory as message_factory
from google.protobuf.internal.decoder import _DecodeVarint32 as read_varint


def message_class(folder, file, name):
    """The class of a message that a file declares."""
    with tempfile.NamedTemporaryFile() as out:
        subprocess.run(["protoc-c", f"--proto_path={folder}", f"--descriptor_set_out={out.name}", "--include_imports",
                        file], check=True, timeout=60)
        files = descriptor_pb2.FileDescriptorSet.FromString(out.read())
    pool = descriptor_pool.DescriptorPool()
    for description in files.file:
        pool.Add(description)
    return message_factory.MessageFactory(pool).GetPrototype(pool.FindMessageTypeByName(name))


def delimited(data, kind):
    """The messages of a stream, each with its length before it."""
    at = 0
    while at < len(data):
        length, at = read_varint(data, at)
        assert at + length <= len(data), "the stream is truncated"
        yield kind.FromString(data[at:at + length])
        at += length
