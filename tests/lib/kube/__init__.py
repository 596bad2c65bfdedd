# SPDX-License-Identifier: MIT
"""Stand-ins for what an agent meets in a Kubernetes cluster: the API server and the kubelet, over TLS.

    store.py        objects, their versions and history, as etcd keeps them
    objects.py      pods, nodes and errors as the API writes them
    selectors.py    field and label selectors
    forms.py        whole objects, only their metadata, or tables: what a request accepts
    certificates.py authorities and certificates
    access.py       a service account's folder, and kubectl's configuration
    server.py       TLS, HTTP, tokens; counts requests
    faults.py       how a server misbehaves
    api.py          the API server
    watch.py        its watches
    kubelet.py      the kubelet

They speak HTTP/1.1 only; of the real API server's resources they have pods, namespaces and nodes, which
can be read and watched. tests/checks/test_kube_api shows that kubectl works with them.
"""
