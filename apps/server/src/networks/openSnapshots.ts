import { type Disk, folderDisk } from "@millrace/chain";
import { Effect, Schedule } from "effect";

/**
 * The disk of a folder. Waits while another process still holds it, such as one that this one
 * replaces: two would spoil each other's snapshots.
 */
export function openSnapshots(folder: string | undefined): Effect.Effect<Disk | undefined> {
  if (folder === undefined) return Effect.undefined;
  return folderDisk(folder).pipe(
    Effect.catch(({ detail }) =>
      Effect.logWarning("waiting for the folder of snapshots").pipe(
        Effect.annotateLogs({ folder, detail }),
        Effect.andThen(Effect.retry(folderDisk(folder), Schedule.spaced("2 seconds"))),
      ),
    ),
    Effect.orDie,
  );
}
