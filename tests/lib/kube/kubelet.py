# SPDX-License-Identifier: MIT
"""The kubelet of a node: all its pods in one list. Its certificate is its own, as it is by default."""
import kube.objects as objects
import kube.server as server

# What may be permitted: all of a node's API, which older ones ask for, or only its pods.
PROXY, ONLY_PODS = {"nodes": ("proxy",)}, {"nodes": ("pods",)}


class Kubelet(server.Server):
    """`store` is the API server's; `fine_grained` whether it knows a permission for pods alone."""

    def __init__(self, authority, things, node):
        super().__init__(authority)
        self.store, self.node, self.fine_grained = things, node, True

    def verb_of(self, request):
        return "pods" if request.path.rstrip("/") == "/pods" else "other"

    def refuse_token(self, connection):
        connection.send_text(401, "Unauthorized")

    def respond(self, connection):
        account, wanted = connection.account, ["proxy"]
        if self.fine_grained and connection.asked.verb == "pods":
            wanted = ["pods", "proxy"]
        if not any(self.may(account, one, "nodes") for one in wanted):
            connection.send_text(403, f"Forbidden (user={account.user}, verb=get, resource=nodes, "
                                 f"subresource(s)=[{' '.join(wanted)}])\n")
        elif connection.asked.verb != "pods":
            connection.send_text(404, "404 page not found\n")
        else:
            connection.send_json(200, {"kind": "PodList", "apiVersion": "v1", "metadata": {},
                                       "items": self.pods()})

    def pods(self):
        things, _ = self.store.at("pods")
        return [objects.static_pod(thing) if objects.MIRROR in thing["metadata"]["annotations"] else thing
                for thing in things.values() if thing["spec"].get("nodeName") == self.node]
