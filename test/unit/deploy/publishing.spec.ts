import { readFileSync, statSync } from 'node:fs';
import { parse } from 'yaml';

const json = <T>(path: string) => JSON.parse(readFileSync(path, 'utf8')) as T;
interface Manifest {
  name: string;
  version: string;
  mcpName: string;
}

describe('what publishing needs', () => {
  const manifest = json<Manifest>('package.json');

  it('server.json names this release of the package, as the MCP registry requires', () => {
    const server = json<{
      name: string;
      version: string;
      description: string;
      packages: { identifier: string; version: string; packageArguments: { value: string }[] }[];
    }>('server.json');
    expect(server).toMatchObject({ name: manifest.mcpName, version: manifest.version });
    expect(server.name).toMatch(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
    expect(server.description.length).toBeLessThanOrEqual(100);
    expect(server.packages).toEqual([
      expect.objectContaining({ identifier: manifest.name, version: manifest.version }),
    ]);
    expect(server.packages[0].packageArguments.map(({ value }) => value)).toEqual(['mcp']);
  });

  it('packages of one release have one version', () => {
    for (const folder of ['client', 'testing', 'dev'])
      expect([folder, json<Manifest>(`packages/${folder}/package.json`).version]).toEqual([folder, manifest.version]);
  });

  it('action.yml runs scripts that exist, and passes their outputs on', () => {
    const action = parse(readFileSync('action.yml', 'utf8')) as {
      outputs: Record<string, { value: string }>;
      runs: { using: string; steps: { id?: string; run: string; shell: string }[] };
    };
    expect(action.runs.using).toBe('composite');
    const [install, start] = action.runs.steps;
    expect(install).toMatchObject({ run: 'npm install', shell: 'bash' });
    expect(statSync(start.run).mode & 0o111).not.toBe(0);
    const script = readFileSync(start.run, 'utf8');
    for (const [name, { value }] of Object.entries(action.outputs)) {
      expect(value).toBe(`\${{ steps.${start.id}.outputs.${name} }}`);
      expect(script).toContain(`${name}=%s`);
    }
  });
});
