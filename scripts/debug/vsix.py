# SPDX-License-Identifier: Apache-2.0
"""The extension of an editor (VS Code and what takes its extensions) that starts `cowarp debug --dap`. It has no dependencies."""
import json
import os
import zipfile

TYPE = "cowarp"
WHEN = (1980, 1, 1, 0, 0, 0)  # of the files in the archive, so that equal extensions are equal files
NAMESPACE = "http://schemas.microsoft.com/developer/vsx-schema/2011"

SCRIPT = """// SPDX-License-Identifier: Apache-2.0
const vscode = require('vscode');
const factory = {
    createDebugAdapterDescriptor: (session) =>
        new vscode.DebugAdapterExecutable(session.configuration.cowarp || 'cowarp', ['debug', '--dap']),
};
exports.activate = (context) => {
    context.subscriptions.push(vscode.debug.registerDebugAdapterDescriptorFactory('cowarp', factory));
};
"""

LAUNCH = {
    "required": ["command"],
    "properties": {
        "command": {"type": "array", "items": {"type": "string"}, "description": "what to debug: the words behind 'cowarp debug', such as run, ht-h"},
        "cowarp": {"type": "string", "description": "the program cowarp, where it is not in PATH"},
    },
}
EXAMPLE = {"type": TYPE, "request": "launch", "name": "cowarp: run ht-h", "command": ["run", "ht-h"]}


def package(version):
    return {
        "name": TYPE, "publisher": TYPE, "version": version, "displayName": "cowarp", "license": "Apache-2.0",
        "description": "Stops GPU kernels at CUDA and PTX lines on a simulated GPU, and steps back",
        "engines": {"vscode": "^1.60.0"}, "categories": ["Debuggers"], "main": "./extension.js", "activationEvents": [f"onDebugResolve:{TYPE}"],
        "contributes": {
            "languages": [{"id": "ptx", "aliases": ["PTX"], "extensions": [".ptx"]}],
            "breakpoints": [{"language": name} for name in ("ptx", "cuda-cpp", "cuda", "cpp", "c")],
            "debuggers": [{"type": TYPE, "label": "cowarp", "configurationAttributes": {"launch": LAUNCH}, "initialConfigurations": [EXAMPLE]}],
        },
    }


def manifest(made):
    return f"""<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="{NAMESPACE}">
  <Metadata>
    <Identity Language="en-US" Id="{made['name']}" Version="{made['version']}" Publisher="{made['publisher']}"/>
    <DisplayName>{made['displayName']}</DisplayName>
    <Description>{made['description']}</Description>
    <Categories>Debuggers</Categories>
    <Properties><Property Id="Microsoft.VisualStudio.Code.Engine" Value="{made['engines']['vscode']}"/></Properties>
  </Metadata>
  <Installation><InstallationTarget Id="Microsoft.VisualStudio.Code"/></Installation>
  <Dependencies/>
  <Assets><Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true"/></Assets>
</PackageManifest>
"""


TYPES = """<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
  <Default Extension=".json" ContentType="application/json"/>
  <Default Extension=".js" ContentType="application/javascript"/>
  <Default Extension=".vsixmanifest" ContentType="text/xml"/>
</Types>
"""


def write(path, version):
    """The extension as a file, for `code --install-extension FILE`. Raises OSError, and then leaves no part of it."""
    made = package(version)
    members = {"[Content_Types].xml": TYPES, "extension.vsixmanifest": manifest(made), "extension/package.json": json.dumps(made, indent=2) + "\n",
               "extension/extension.js": SCRIPT}
    part = f"{path}.{os.getpid()}.part"
    try:
        with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in members.items():
                archive.writestr(zipfile.ZipInfo(name, WHEN), text)
        os.replace(part, path)
    except OSError:
        if os.path.exists(part):
            os.unlink(part)
        raise
