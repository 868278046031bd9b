/** The pages in a real browser: four proofs. */
import { byTests, type Proof } from './kinds.ts'

/** What the applications are built from. The packages' build copies the licence into them. */
export const PAGES = {
  folders: ['apps/', 'packages/'],
  except: ['packages/client/LICENSE', 'packages/proof/LICENSE'],
}

/** The applications decide these results as much as the service does. */
const ofPages = (proof: Proof): Proof =>
  typeof proof.run === 'string'
    ? proof
    : {
        ...proof,
        run: {
          ...proof.run,
          sources: {
            ...proof.run.sources,
            folders: [...proof.run.sources.folders, ...PAGES.folders],
            except: [...(proof.run.sources.except ?? []), ...PAGES.except],
          },
        },
      }

export const pages: Proof[] = [
  byTests(
    'P1',
    'From sign-in to a payment',
    'three people set up a treasury and pay an invoice: with a mouse, a thumb, or keys alone',
    ['test/browser/story.test.ts'],
    { least: 3, env: { PROVE_MOUSE: '1' } },
  ),
  byTests(
    'P2',
    'Accessibility',
    'WCAG 2.2 A and AA on every screen, at a desk and on a phone, in both colour schemes',
    [
      'test/browser/first-visit.test.ts',
      'test/browser/furnished.test.ts',
      'test/browser/admin.test.ts',
    ],
    { least: 17, env: { PROVE_LOOKS: '1' } },
  ),
  byTests(
    'P3',
    'A demo on a chain that was used before',
    'it is set up to its end, all of it of today, and the page says so',
    ['test/browser/first-visit.test.ts'],
    { least: 7, env: { PROVE_DEMO: '1' } },
  ),
  byTests(
    'P4',
    'The delivered pages',
    'two builds of one commit are equal to the last byte, for both applications',
    ['test/browser/build.test.ts'],
    { least: 20, env: { PROVE_BUILDS: '1' } },
  ),
].map(ofPages)
