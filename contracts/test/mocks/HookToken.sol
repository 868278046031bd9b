// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @notice A plain token that makes one call in the middle of every transfer.
/// @dev The call comes from `caller`, a contract that the test puts in the place of a person.
contract HookToken {
    mapping(address account => uint256) public balanceOf;
    Puppet private _caller;
    address private _target;
    bytes private _data;
    bool public hookSucceeded;
    bytes public hookAnswer;

    function mint(address to, uint256 amount) external {
        balanceOf[to] += amount;
    }

    function arm(Puppet caller, address target, bytes calldata data) external {
        (_caller, _target, _data) = (caller, target, data);
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        return _move(msg.sender, to, amount);
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        return _move(from, to, amount);
    }

    function _move(address from, address to, uint256 amount) private returns (bool) {
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
        Puppet caller = _caller;
        if (address(caller) != address(0)) {
            _caller = Puppet(address(0));
            (hookSucceeded, hookAnswer) = caller.act(_target, _data);
        }
        return true;
    }
}

/// @notice Calls whatever it is told to.
contract Puppet {
    function act(address target, bytes calldata data) external returns (bool, bytes memory) {
        return target.call(data);
    }
}
