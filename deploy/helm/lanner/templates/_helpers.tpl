{{/* SPDX-License-Identifier: MIT */}}
{{- define "lanner.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{/* The name of the release, with that of the chart unless it has it. */}}
{{- define "lanner.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" }}
{{- else if contains (include "lanner.name" .) .Release.Name }}
{{- .Release.Name | trunc 63 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name (include "lanner.name" .) | trunc 63 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "lanner.namespace" -}}
{{- default .Release.Namespace .Values.namespaceOverride }}
{{- end }}

{{- define "lanner.selectorLabels" -}}
app.kubernetes.io/name: {{ include "lanner.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "lanner.labels" -}}
{{ include "lanner.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "lanner.serviceAccountName" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "lanner.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{- define "lanner.image" -}}
{{- $image := .Values.image.repository }}
{{- with .Values.image.registry }}{{ $image = printf "%s/%s" . $image }}{{ end }}
{{- if .Values.image.digest }}
{{- printf "%s@%s" $image .Values.image.digest }}
{{- else }}
{{- printf "%s:%s" $image (default .Chart.AppVersion .Values.image.tag) }}
{{- end }}
{{- end }}

{{/* agent.yaml: what the user gives, and what follows from how the pod is made. */}}
{{- define "lanner.config" -}}
{{- $config := dict "host-root" "/host" }}
{{- if .Values.http.enabled }}
{{- $pages := printf "%s:%v" .Values.http.address .Values.http.port }}
{{- $probes := printf "%s:%v" (ternary "127.0.0.1" "" .Values.hostNetwork) .Values.http.probePort }}
{{- $_ := set $config "http" (list $pages $probes) }}
{{- end }}
{{- if not .Values.kubernetes.enabled }}{{ $_ := set $config "k8s-api" "none" }}{{ end }}
{{- with .Values.kubernetes.clusterName }}{{ $_ := set $config "k8s-cluster" . }}{{ end }}
{{- if .Values.rules }}{{ $_ := set $config "rules" (list "/etc/lanner/rules") }}{{ end }}
{{- toYaml (merge (deepCopy .Values.config) $config) }}
{{- end }}

{{- define "lanner.updateStrategy" -}}
type: RollingUpdate
rollingUpdate:
{{- if or (and .Values.persistence.enabled (not .Values.takeOver.enabled)) (and .Values.hostNetwork .Values.http.enabled) }}
  maxSurge: 0
  maxUnavailable: 1
{{- else }}
  maxSurge: 1
  maxUnavailable: 0
{{- end }}
{{- end }}

{{/* A probe of a page, of the values of the probe. */}}
{{- define "lanner.probe" -}}
httpGet:
  path: {{ .path }}
  port: probe
  {{- if .hostNetwork }}
  host: 127.0.0.1
  {{- end }}
{{ toYaml .probe }}
{{- end }}
