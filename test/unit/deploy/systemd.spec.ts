import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

const isInstalled = spawnSync('systemd-analyze', ['--version']).status === 0;

(isInstalled ? describe : describe.skip)('the unit for systemd', () => {
  const folder = mkdtempSync(join(tmpdir(), 'marquee-systemd-'));
  const unit = join(folder, 'marquee.service');
  beforeAll(() => {
    const shipped = readFileSync('deploy/systemd/marquee.service', 'utf8');
    // programs and users of this machine
    const placed = shipped
      .replaceAll('/usr/bin/node', process.execPath)
      .replace(/^(User|Group)=marquee$/gm, `$1=${userInfo().username}`);
    writeFileSync(unit, placed);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('is understood as a whole', () => {
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' });
    const aboutIt = stderr.split('\n').filter((line) => line.includes('marquee.service'));
    expect({ status, aboutIt }).toEqual({ status: 0, aboutIt: [] });
  });

  it('exposes little', () => {
    const argv = ['security', '--offline=true', '--threshold=25', unit];
    const { status, stdout, stderr } = spawnSync('systemd-analyze', argv, { encoding: 'utf8' });
    expect({ status, output: status === 0 ? '' : stdout + stderr }).toEqual({ status: 0, output: '' });
  });
});
