// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @notice The cheat codes of the test runner that these tests use.
interface Vm {
    struct Log {
        bytes32[] topics;
        bytes data;
        address emitter;
    }

    function addr(uint256 key) external pure returns (address);
    function sign(uint256 key, bytes32 digest)
        external
        pure
        returns (uint8 v, bytes32 r, bytes32 s);
    function prank(address caller) external;
    function warp(uint256 timestamp) external;
    function chainId(uint256 id) external;
    function deal(address account, uint256 wei_) external;
    function etch(address account, bytes calldata code) external;
    function load(address account, bytes32 slot) external view returns (bytes32);
    function assume(bool condition) external pure;
    function getCode(string calldata artifact) external view returns (bytes memory);
    function expectEmit(address emitter) external;
    function recordLogs() external;
    function getRecordedLogs() external returns (Log[] memory);
    function envOr(string calldata name, uint256 fallbackValue) external view returns (uint256);
    function envOr(string calldata name, string calldata fallbackValue)
        external
        view
        returns (string memory);
    function setEnv(string calldata name, string calldata value) external;
    function writeFile(string calldata path, string calldata text) external;
    function toString(uint256 value) external pure returns (string memory);
    function label(address account, string calldata name) external;
    function assertEq(uint256 left, uint256 right, string calldata what) external pure;
    function assertEq(bytes32 left, bytes32 right, string calldata what) external pure;
    function assertEq(address left, address right, string calldata what) external pure;
    function assertEq(bool left, bool right, string calldata what) external pure;
    function assertEq(bytes calldata left, bytes calldata right, string calldata what)
        external
        pure;
    function assertTrue(bool condition, string calldata what) external pure;
    function assertFalse(bool condition, string calldata what) external pure;
}

/// @dev Where the test runner answers.
Vm constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
