import { readdir, readFile, readlink, rm, symlink } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";

/**
 * Takes the folder for this process. Gives the id of the process that holds it when that is another
 * one and alive. Locks are dangling links, since a link is created with its content in one step, or
 * not at all. The lock with the highest number holds.
 */
export async function lockFolder(folder: string): Promise<number | undefined> {
  const own = await describeProcess(process.pid);
  for (;;) {
    const numbers = await lockNumbers(folder);
    const newest = numbers[0] ?? 0;
    const owner = newest === 0 ? undefined : await readOwner(folder, newest);
    if (owner === own) return undefined;
    if (owner !== undefined) {
      const holder = await livingHolder(owner);
      if (holder !== undefined) return holder;
    }
    if (!(await makeLock(folder, newest + 1, own))) continue;
    // A slower process may have re-created a lock that was long gone: only the highest counts.
    if ((await lockNumbers(folder))[0] !== newest + 1) {
      await removeLock(folder, newest + 1);
      continue;
    }
    for (const number of numbers) await removeLock(folder, number);
    return undefined;
  }
}

const PREFIX = "lock-";

/** Highest first. */
async function lockNumbers(folder: string): Promise<number[]> {
  const names = await readdir(folder);
  return names
    .filter((name) => /^lock-[1-9]\d{0,14}$/.test(name))
    .map((name) => Number(name.slice(PREFIX.length)))
    .sort((a, b) => b - a);
}

/** Undefined when the lock is gone, or is not a link. */
async function readOwner(folder: string, number: number): Promise<string | undefined> {
  return readlink(join(folder, `${PREFIX}${number}`)).catch(() => undefined);
}

/** False when the lock exists already. */
async function makeLock(folder: string, number: number, owner: string): Promise<boolean> {
  try {
    await symlink(owner, join(folder, `${PREFIX}${number}`));
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw cause;
  }
}

async function removeLock(folder: string, number: number): Promise<void> {
  await rm(join(folder, `${PREFIX}${number}`), { force: true });
}

/** The process id of a lock's owner, if it runs on this machine and has since the lock was made. */
async function livingHolder(owner: string): Promise<number | undefined> {
  const pid = Number(owner.split(":").at(-2));
  if (!Number.isSafeInteger(pid) || pid <= 0 || !isAlive(pid)) return undefined;
  return (await describeProcess(pid)) === owner ? pid : undefined;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === "EPERM";
  }
}

/**
 * Machine, boot, process id and start time of a process, so that a later process with the same id
 * is not taken for the former owner. Boot and start are empty where the system does not tell them.
 */
async function describeProcess(pid: number): Promise<string> {
  const boot = await readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => "");
  const status = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The 22nd field; the 2nd, a name in parentheses, may hold spaces.
  const start = status.slice(status.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  return [hostname(), boot.trim(), pid, start].join(":");
}
