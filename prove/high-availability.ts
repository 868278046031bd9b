/** The proof with a cluster of three nodes. */
import { figure, type Proof, program } from './kinds.ts'
import { SERVICE_FOLDERS, SET_UP } from './sources.ts'

export const highAvailability: Proof = {
  id: 'F20',
  title: 'High availability',
  done:
    'with three nodes of Debian’s PostgreSQL 15 under Patroni, etcd, HAProxy and PgBouncer, the ' +
    'primary is killed, frozen and cut off at random moments during payments, writes and ' +
    'streams; in another cluster the disk of the primary is full',
  run: program(
    'The primary of a cluster under Patroni fails thirty times',
    'node_modules/vitest/vitest.mjs',
    {
      args: ['run', '--config', 'test/high-availability/vitest.config.ts'],
      env: { PROVE_FAULTS: '30', PROVE_PAYMENTS: '60', PROVE_DISK: '1' },
      sources: {
        folders: [...SERVICE_FOLDERS, 'deploy/ha/', 'test/high-availability/'],
        entries: [
          ...SET_UP,
          'test/high-availability/failover.ts',
          'test/high-availability/full-disk.ts',
        ],
        files: [],
      },
    },
  ),
  figures: [
    figure('faults', 'faults', '>= 30'),
    figure('PostgreSQL killed', 'postgresKilled', '>= 5'),
    figure('Patroni killed', 'patroniKilled', '>= 5'),
    figure('node killed', 'nodeKilled', '>= 5'),
    figure('frozen', 'frozen', '>= 5'),
    figure('cut off from the nodes', 'cutOffFromNodes', '>= 5'),
    figure('cut off from all', 'cutOffFromAll', '>= 5'),
    figure('takeovers', 'takeovers', '>= 25'),
    figure('taken back by the former primary', 'takenBack', '= 0'),
    figure('writes acknowledged', 'acknowledged', '>= 1000'),
    figure('lost', 'lost', '= 0'),
    figure('twice', 'twice', '= 0'),
    figure('payments', 'payments', '>= 60'),
    figure('paid twice', 'doubles', '= 0'),
    figure('falsely stated', 'falseStates', '= 0'),
    figure('unfinished', 'unfinished', '= 0'),
    figure('longest time without a write, s', 'silenceMaxSeconds', '<= 30'),
    figure('median, s', 'silenceMedianSeconds'),
    figure('stream connections', 'connections'),
    figure('streams reset', 'resets'),
    figure('gaps in streams', 'gaps', '= 0'),
    figure('writes refused on a full disk', 'disk.refused', '>= 100'),
    figure('takeovers after the node was stopped', 'disk.takeovers', '= 1'),
    figure('writes acknowledged before and after', 'disk.acknowledged', '>= 150'),
    figure('lost', 'disk.lost', '= 0'),
    figure('twice', 'disk.twice', '= 0'),
  ],
}
