import {
  type Abi,
  type Address,
  type ContractFunctionName,
  concat,
  type EncodeFunctionDataParameters,
  encodeAbiParameters,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  parseAbiParameters,
} from "viem";
import type { Transaction } from "../node/transactions.ts";

/** Collects the deployment transactions of an account without history, in order. */
export interface Deployment {
  readonly deployer: Address;
  readonly transactions: ReadonlyArray<Transaction>;
  /** Returns the address of the contract: CREATE derives it from the sender's nonce. */
  readonly create: (code: Hex, types?: string, values?: ReadonlyArray<unknown>) => Address;
  /** The address of the contract created after so many other transactions. */
  readonly createdAfter: (others: number) => Address;
  readonly send: (to: Address, data: Hex) => void;
  readonly call: <const abi extends Abi, name extends ContractFunctionName<abi>>(
    to: Address,
    call: EncodeFunctionDataParameters<abi, name>,
  ) => void;
}

export function makeDeployment(deployer: Address): Deployment {
  const transactions: Array<Transaction> = [];
  const createdAfter = (others: number): Address => {
    const nonce = BigInt(transactions.length + others);
    return getContractAddress({ from: deployer, nonce }).toLowerCase() as Address;
  };
  return {
    ...{ deployer, transactions, createdAfter },
    create: (code, types = "", values = []) => {
      const address = createdAfter(0);
      transactions.push({ data: deployData(code, types, values) });
      return address;
    },
    send: (to, data) => {
      transactions.push({ to, data });
    },
    call: (to, call) => {
      transactions.push({ to, data: encodeFunctionData(call as never) });
    },
  };
}

/** A contract's creation code, with its constructor's arguments. */
export const deployData = (code: Hex, types: string, values: ReadonlyArray<unknown>): Hex =>
  types === ""
    ? code
    : concat([code, encodeAbiParameters(parseAbiParameters(types), values as never)]);
