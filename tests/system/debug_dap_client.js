// SPDX-License-Identifier: Apache-2.0
// The client that makers of editors test adapters with, @vscode/debugadapter-testsupport, against `cowarp debug --dap`. It checks for itself that
// answers have the form that the protocol wants, and that a stop is where the breakpoint is. What is wanted follows from tests/debug/kernels.ptx.
//
// Usage: node debug_dap_client.js ADAPTER KERNELS.PTX (ADAPTER: a shell script that starts it)
const assert = require('assert');
const {DebugClient} = require('@vscode/debugadapter-testsupport');

const [adapter, ptx] = process.argv.slice(2);
const launch = (kernel) => ({command: ['exec', ptx, '--kernel', kernel, '--grid', '1', '--block', '32', '--arg', 'zero:2048']});

async function session(check) {
    const client = new DebugClient('/bin/sh', adapter, 'cowarp');
    client.defaultTimeout = 60000;
    await client.start();
    await check(client);
    await client.stop();
}

async function value(client, name) {
    const scopes = (await client.scopesRequest({frameId: 1})).body.scopes;
    const rows = (await client.variablesRequest({variablesReference: scopes[0].variablesReference})).body.variables;
    return rows.find((row) => row.name === name).value;
}

async function breakpoint(client) {
    await client.hitBreakpoint(launch('loop'), {path: ptx, line: 161});
    assert.strictEqual(await value(client, '%r3'), '0');
    client.continueRequest({threadId: 1});
    await client.assertStoppedLocation('breakpoint', {path: ptx, line: 161});
    assert.strictEqual(await value(client, '%r3'), '1');
    client.stepBackRequest({threadId: 1});
    await client.waitForEvent('stopped');
    client.reverseContinueRequest({threadId: 1});
    await client.assertStoppedLocation('breakpoint', {path: ptx, line: 161});
    assert.strictEqual(await value(client, '%r3'), '0');
}

async function end(client) {
    await Promise.all([client.configurationSequence(), client.launch(launch('calls')), client.waitForEvent('stopped')]);
    client.continueRequest({threadId: 1});
    await client.waitForEvent('terminated');
}

async function wrong(client) {
    await client.initializeRequest();
    await assert.rejects(client.launchRequest({}), /'command' is missing/);
    await assert.rejects(client.threadsRequest(), /nothing has been launched/);
}

session(breakpoint).then(() => session(end)).then(() => session(wrong)).then(() => console.log('3 sessions'), (error) => {
    console.error(error);
    process.exit(1);
});
