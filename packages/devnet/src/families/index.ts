export * from "../contracts/balancerAbis.ts";
export { type BalancerV3Contracts, deployBalancerV3 } from "../contracts/balancerV3.ts";
export { makeDeployment } from "../contracts/Deployment.ts";
export {
  deployFamilies,
  type FamilyContracts,
  placeFamilyCode,
} from "../contracts/FamilyContracts.ts";
export * from "../contracts/familyAbis.ts";
export * from "./FamilyPool.ts";
export { FamilyPools } from "./FamilyPools.ts";
